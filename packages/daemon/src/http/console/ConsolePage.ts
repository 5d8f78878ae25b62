/**
 * The console's page: a few lines of HTML with one program and one style, which a release has beside the bundle; a checkout builds them when
 * somebody first asks. The policy names both by a number used once, so nothing else of this origin, such as an asset, can be run in the page.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

const BUILT = {
  script: new URL("./console.js", import.meta.url),
  pictures: new URL("./pictures.js", import.meta.url),
  style: new URL("./console.css", import.meta.url)
}
const SOURCE = new URL("../../../build-console.ts", import.meta.url)

interface Files {
  readonly script: string
  /** The worker that draws pictures small. */
  readonly pictures: string
  readonly style: string
}

const load = async (): Promise<Files> => {
  if (existsSync(BUILT.script)) {
    const [script, pictures, style] = await Promise.all(
      [BUILT.script, BUILT.pictures, BUILT.style].map((file) => readFile(file, "utf8"))
    )
    return { script: script ?? "", pictures: pictures ?? "", style: style ?? "" }
  }
  // By a URL that is computed, so that the bundle of a release does not take the builder in.
  const { buildConsole }: typeof import("../../../build-console.ts") = await import(SOURCE.href)
  return buildConsole()
}

let loaded: Promise<Files> | undefined

const files: Effect.Effect<Files> = Effect.promise(() => {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
})

/** `own`: the name that the browser calls this daemon by. The one worker is named whole, so that no asset can be one. */
const policy = (nonce: string, own: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' blob:",
    "media-src 'self'",
    "connect-src 'self'",
    `worker-src http://${own}/console/pictures.js https://${own}/console/pictures.js`,
    "require-trusted-types-for 'script'",
    "trusted-types treemark-pictures",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b4a6f"/><path d="M4 4.5h8M8 4.5v8" fill="none" stroke="#fff" stroke-width="2"/></svg>`

const html = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Treemark</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/console/console.css" nonce="${nonce}">
</head>
<body>
<div id="console"><p id="not-started">This page is a program: it needs JavaScript, in a browser of 2023 or later, and has not started yet.</p></div>
<script src="/console/console.js" nonce="${nonce}"></script>
</body>
</html>
`

/** `GET /`. */
export const consolePage = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: { host = "" } }) => {
  const nonce = randomBytes(16).toString("base64url")
  // By then the edge has refused every name that it does not serve.
  const own = /^[\w.:[\]-]+$/.test(host) ? host : "127.0.0.1"
  return HttpServerResponse.text(html(nonce), {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policy(nonce, own) }
  })
})

export const consoleScript = Effect.map(files, ({ script }) =>
  HttpServerResponse.text(script, { contentType: "text/javascript; charset=utf-8" })
)

/** A worker has a policy of its own: this one reads content from here and does nothing else. */
export const consolePictures = Effect.map(files, ({ pictures }) =>
  HttpServerResponse.text(pictures, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "content-security-policy": "default-src 'none'; connect-src 'self'" }
  })
)

export const consoleStyle = Effect.map(files, ({ style }) =>
  HttpServerResponse.text(style, { contentType: "text/css; charset=utf-8" })
)

export const favicon = Effect.succeed(
  HttpServerResponse.text(FAVICON, {
    contentType: "image/svg+xml",
    headers: { "cache-control": "public, max-age=86400" }
  })
)
