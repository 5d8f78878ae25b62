/**
 * A service in Hono with the daemon inside of its own process: nothing else to install, start or watch. It commits what is uploaded, and
 * shows the history of a work.
 *
 *     TREEMARK_HOME=./data npx @treemark/daemon account create --name studio --credits 5      (prints a token)
 *     TREEMARK_HOME=./data TREEMARK_TOKEN=tmk_… PORT=3000 node server.mjs
 */
import { serve } from "@hono/node-server"
import { createClient, TreemarkError } from "@treemark/core/client"
import { startDaemon } from "@treemark/daemon"
import { Hono } from "hono"

const daemon = await startDaemon({ port: 0 })
const client = createClient({ url: daemon.url, token: process.env.TREEMARK_TOKEN })

const app = new Hono()

app.post("/works", async (context) => {
  const file = await context.req.arrayBuffer()
  const { assetCid, assetSha256, encodingFormat } = await client.register(file, {
    contentType: context.req.header("content-type")
  })
  const receipt = await client.commit({
    assetCid,
    assetSha256,
    encodingFormat,
    assetCreator: context.req.query("creator") ?? "Studio",
    assetTimestampCreated: Math.floor(Date.now() / 1000)
  })
  return context.json(receipt, 201)
})

app.get("/works/:cid", async (context) => context.json(await client.commits(context.req.param("cid"))))

app.onError((error, context) => {
  if (!(error instanceof TreemarkError)) throw error
  return context.json({ error: error.message, code: error.code }, error.status === 400 ? 400 : 502)
})

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`)
)

/** First no more calls, then the daemon: what it was sent is durable, and goes on with the next start. */
process.once("SIGTERM", () => server.close(() => daemon.stop()))
