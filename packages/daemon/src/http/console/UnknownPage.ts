/** What a browser gets that asks for a page which is not here: a page of the console's family, with the way back. */
import { HttpServerResponse } from "effect/http"

/** Whether the request is a person's, who looks at a page. */
export const wantsPage = ({ headers, method }: { readonly method: string; readonly headers: Headers }): boolean =>
  (method === "GET" || method === "HEAD") &&
  (headers.accept ?? "").split(",").some((type) => /^\s*text\/html\b/i.test(type))

interface Headers {
  readonly [name: string]: string | undefined
}

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; padding: clamp(1.5rem, 8vw, 6rem) 1rem; max-width: 40rem; font: 1rem/1.55 system-ui, sans-serif;
  background: light-dark(#f6f5f1, #121513); color: light-dark(#1a1f1c, #eceeea) }
h1 { font-size: 2rem; line-height: 1.1; letter-spacing: -.02em } a { color: light-dark(#2b4a6f, #a9c7ee) }
code { font: .9em ui-monospace, monospace }`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nothing here · Treemark</title>
<link rel="icon" href="/favicon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>There is nothing at this address</h1>
<p>Treemark runs here, but has no such page. Maybe the address was cut off, or what it named is of another service.</p>
<p><a href="/">The console</a> shows your assets; <a href="/verify">check a proof</a> needs no account; <a href="/docs">the API</a> is for programs.
A transaction's page is <code>/explorer/mainnet/tx/HASH</code>: the link in a commit's answer.</p>
</main>
</body>
</html>
`

/** The page, with status 404. */
export const unknownPage = HttpServerResponse.text(PAGE, {
  status: 404,
  contentType: "text/html; charset=utf-8",
  headers: {
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }
})
