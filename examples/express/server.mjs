/**
 * A service of yours, in Express: it takes an upload, has its author sign, and commits it. The author's key stays where it is, in a wallet
 * or in another process (author.mjs): what travels is the 64 digits to sign, and the signature.
 *
 *     POST /works?author=0x…&creator=Ada   body: the file             → {"id", "sign"}
 *     POST /works/ID/signature             {"signature": "0x…"}       → the receipt: txHash, assetTreeCid, explorer
 *
 *     TREEMARK_TOKEN=tmk_… PORT=3000 node server.mjs
 */
import { createClient, TreemarkError } from "@treemark/core/client"
import { buildTree, checkRequest } from "@treemark/core/plain"
import express from "express"

const url = process.env.TREEMARK_URL ?? "http://127.0.0.1:7053"
const client = createClient({ url, token: process.env.TREEMARK_TOKEN })

// Both are part of what the author signs, and neither changes while the service runs. An account's service name is its name, unless
// treemarkd account create was given another one.
const serviceName = process.env.SERVICE_NAME ?? (await client.account()).name
const { networks } = await (await fetch(`${url}/networks`)).json()
const format = networks.find(({ testnet }) => !testnet).treeFormat

/** What waits for its signature. Keep it in your database. */
const works = new Map()

const app = express()

app.post("/works", express.raw({ type: () => true, limit: "100mb" }), async (request, response) => {
  const { author, creator, name } = request.query
  const asset = await client.register(request.body, { contentType: request.get("content-type"), name })
  const wanted = {
    assetCid: asset.assetCid,
    assetSha256: asset.assetSha256,
    encodingFormat: asset.encodingFormat,
    assetCreator: creator,
    assetTimestampCreated: Math.floor(Date.now() / 1000),
    author
  }
  const checked = checkRequest(wanted)
  if (!checked.ok) return response.status(400).json({ errors: checked.errors })
  const { sha256 } = buildTree(checked.request, { author, serviceName, signedAt: "elsewhere", format })
  // The id is the idempotency key too: a signature that is sent twice is committed and charged once.
  const id = crypto.randomUUID()
  works.set(id, wanted)
  response.status(201).json({ id, sign: sha256 })
})

app.post("/works/:id/signature", express.json(), async (request, response) => {
  const { id } = request.params
  const wanted = works.get(id)
  if (wanted === undefined) return response.status(404).json({ error: "There is no such work." })
  const commit = { ...wanted, assetTreeSignature: request.body.signature }
  response.json(await client.commit(commit, { idempotencyKey: id }))
})

/** What the daemon refuses says what is wrong and what to do, and has a code that never changes. */
app.use((error, _request, response, next) => {
  if (!(error instanceof TreemarkError)) return next(error)
  const { code, errors, message, status } = error
  // A token or an account in trouble is this service's matter, not its caller's.
  response.status(status === 400 ? 400 : 502).json({ error: message, code, errors })
})

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`)
)
