/**
 * A desktop tool in plain Node, without dependencies: finds the daemon, pairs with an account (RFC 8628), adds a file, commits it.
 *
 *     node examples/desktop/tool.mjs photo.jpg
 *
 * The token is kept beside the tool's own settings, readable by its user alone; revoke it in the console under Tools.
 */
import { randomUUID } from "node:crypto"
import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, join } from "node:path"

const NAME = "Desktop example"
const settings = process.env.TOOL_HOME ?? join(homedir(), ".config", "treemark-desktop-example")

/** The daemon says where it is in a file of its data folder; without one it is where it is by default. */
async function findDaemon() {
  const data = process.env.TREEMARK_HOME ?? join(homedir(), ".local", "share", "treemark")
  try {
    return JSON.parse(await readFile(join(data, "daemon.json"), "utf8")).addresses.main
  } catch {
    return "http://127.0.0.1:7053"
  }
}

const form = (fields) => ({ method: "POST", body: new URLSearchParams(fields) })

/** Shows a code, and asks for the token until somebody has decided. */
async function pair(url) {
  const asked = await fetch(
    `${url}/oauth/device_authorization`,
    form({ client_id: NAME, scope: "read register commit" })
  )
  const device = await asked.json()
  if (!asked.ok) throw new Error(device.error_description)
  console.log(`Open ${device.verification_uri} and type ${device.user_code}`)
  let seconds = device.interval
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const answer = await fetch(
      `${url}/oauth/token`,
      form({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        client_id: NAME,
        device_code: device.device_code
      })
    )
    const told = await answer.json()
    if (answer.ok) return told.access_token
    if (told.error === "slow_down") seconds += 5
    else if (told.error !== "authorization_pending") throw new Error(told.error_description)
  }
}

async function tokenFor(url) {
  const file = join(settings, "token")
  const kept = await readFile(file, "utf8").catch(() => undefined)
  if (kept !== undefined) return kept
  const token = await pair(url)
  await mkdir(settings, { recursive: true, mode: 0o700 })
  await writeFile(file, token, { mode: 0o600 })
  return token
}

/** What the daemon answered; a problem (RFC 9457) is thrown with what it tells people. */
async function call(url, token, path, request = {}) {
  const answer = await fetch(`${url}${path}`, {
    ...request,
    headers: { ...request.headers, authorization: `token ${token}` }
  })
  const told = await answer.json()
  if (!answer.ok) throw new Error(`${told.code}: ${told.detail}`)
  return told
}

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error("Name a file: node tool.mjs photo.jpg")
const url = await findDaemon()
const token = await tokenFor(url)
const account = await call(url, token, "/account")
console.log(`Paired with the account ${account.name}, which has ${account.credits} credits`)

const asset = await call(url, token, "/assets", {
  method: "POST",
  body: await readFile(path),
  headers: { "content-type": "application/octet-stream" }
})
console.log(`Added ${basename(path)}: ${asset.assetCid}`)

const committed = await call(url, token, "/commit", {
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
  body: JSON.stringify({
    assetCid: asset.assetCid,
    assetSha256: asset.assetSha256,
    encodingFormat: asset.encodingFormat,
    assetTimestampCreated: Math.floor((await stat(path)).mtimeMs / 1000),
    assetCreator: account.name.slice(0, 21)
  })
})
console.log(`Committed: ${committed.explorer}`)
