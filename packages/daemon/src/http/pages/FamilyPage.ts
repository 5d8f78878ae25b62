/**
 * Pages of the console's family that need no program: plain HTML of this daemon, for a phone as for a desk, light and dark. Whatever a stranger
 * wrote is put in by `shownText`: as text, with what is unseen or reorders shown by its code.
 */
import { HttpServerResponse } from "effect/http"
import { visible } from "../../../../verify/web/Visible.ts"

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#f6f5f1, #121513); --card: light-dark(#fff, #1b1f1d); --ink: light-dark(#1a1f1c, #eceeea);
  --soft: light-dark(#56605a, #a3ada7); --line: light-dark(#dddfd8, #323835); --edge: light-dark(#8b958f, #6c7671); --accent: light-dark(#2b4a6f, #a9c7ee);
  --on-accent: light-dark(#fff, #0e1a29); --good: light-dark(#17694a, #74d6a9); --bad: light-dark(#b3261e, #ff9d94); --open: light-dark(#8a5300, #f0b95c) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem clamp(1rem, 4vw, 2.5rem) 3rem; max-width: 56rem; font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  background: var(--paper); color: var(--ink); text-wrap: pretty }
header, footer { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem }
header { margin-bottom: 2.5rem } footer { margin-top: 2.5rem; color: var(--soft) }
.brand { display: flex; align-items: center; gap: .5rem; margin-right: auto; font-weight: 650; color: inherit; text-decoration: none }
.leaf { display: grid; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: .45rem; background: var(--accent); color: var(--on-accent); font-size: .9rem }
h1 { margin: 0 0 .5rem; font-size: clamp(1.75rem, 5vw, 2.25rem); line-height: 1.15; letter-spacing: -.02em; overflow-wrap: anywhere }
h2 { margin: 2rem 0 .6rem; font-size: 1.2rem; line-height: 1.3 } h3 { margin: 0; font-size: 1rem }
p { margin: .4rem 0 } a { color: var(--accent) } .soft { color: var(--soft) }
code, pre, .digits { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", Menlo, monospace; font-size: .875em; overflow-wrap: anywhere }
pre { margin: 0; padding: .8rem; white-space: pre-wrap; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; margin: 0 }
dt, dd { margin: 0; padding: .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere } dt { padding-right: 1rem; color: var(--soft) }
dl > :nth-child(-n+2) { border-top: 0 }
.card { padding: clamp(1rem, 3vw, 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem }
.timeline { display: grid; gap: 1rem; margin: 1rem 0; padding: 0; list-style: none } .timeline dl { margin: .6rem 0 }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem }
.success { color: var(--good) } .reverted { color: var(--bad) } .pending { color: var(--open) }
.odd { padding: 0 .2em; border: 1px solid var(--edge); border-radius: .3em; font: .75em ui-monospace, monospace }
form { display: grid; gap: .6rem; margin-top: 1rem } label { font-weight: 600 }
input, button { min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .6rem }
input { width: 100% } button { width: fit-content; padding-inline: 1.1rem; font-weight: 600; color: var(--on-accent); background: var(--accent); border-color: var(--accent); cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr } dd { border-top: 0; padding-top: 0 } dl > :nth-child(2) { padding-top: 0 } }
`

/** A piece of HTML that this daemon wrote. */
export type Html = string

export interface FamilyPage {
  /** Plain text. */
  readonly title: string
  readonly body: Html
  readonly status?: number
}

/** The answer with the page. */
export const familyPage = ({ body, status = 200, title }: FamilyPage): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Treemark</title>
<link rel="icon" href="/favicon.svg">
<style>${STYLE}</style>
</head>
<body>
<header><a class="brand" href="/"><span class="leaf" aria-hidden="true">T</span> Treemark</a> <a href="/explorer">Look something up</a> <a href="/verify">Check a proof</a></header>
<main>
${body}
</main>
<footer><a href="/">The console</a> <a href="/docs">The API</a></footer>
</body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers: { "content-security-policy": POLICY } }
  )

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escaped = (text: string): Html => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)

/** Text that a stranger wrote: on its own (it reorders nothing around it), cut after `longest`, the unseen by its code. */
export const shownText = (text: string, longest = 2_000): Html => {
  const parts = visible(text, longest).map((part) =>
    part.kind === "text"
      ? escaped(part.text)
      : `<span class="odd">${"count" in part ? `(${part.count})` : escaped(part.text)}</span>`
  )
  return `<bdi>${parts.join("")}</bdi>`
}

/** Label and value, both HTML. */
export type Row = readonly [label: Html, value: Html]

export const rows = (all: ReadonlyArray<Row>): Html =>
  `<dl>\n${all.map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`).join("\n")}\n</dl>`
