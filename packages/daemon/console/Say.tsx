/**
 * Sentences of the table as parts of the page, and text of strangers: cut, with what is unseen shown by its code, and apart from the text around
 * it, so that no name of a file and no word on the ledger reorders or hides what is read.
 */
import { type ComponentChildren, Fragment } from "preact"
import { visible } from "../../verify/web/Visible.ts"
import { words } from "./Language.ts"
import type { Key } from "./languages/English.ts"

/** Text that somebody else wrote, on one line. */
export const Strange = ({ text, longest = 300 }: { readonly text: string; readonly longest?: number }) => (
  <bdi class={/^[\dA-Za-z]{32,}$/.test(text) ? "strange digits" : "strange"}>
    {visible(text, longest).map((part, at) =>
      part.kind === "text" ? (
        part.text
      ) : (
        <span key={at} class="odd">
          {"count" in part ? `(${part.count})` : part.text}
        </span>
      )
    )}
  </bdi>
)

/** The same as plain text, for titles and labels. */
export const seen = (text: string, longest = 120): string =>
  visible(text, longest)
    .map((part) => ("count" in part ? `(${part.count})` : part.text))
    .join("")

/** The sentence for `key`; text among its values is a stranger's unless it is an element already. */
export const Say = ({ of, ...values }: { readonly of: Key; readonly [name: string]: ComponentChildren }) => {
  const parts = words(of, Object.fromEntries(Object.keys(values).map((name) => [name, `\u0000${name}\u0000`]))).split(
    "\u0000"
  )
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>{at % 2 === 0 ? part : shown(values[part])}</Fragment>
      ))}
    </>
  )
}

const shown = (value: ComponentChildren): ComponentChildren =>
  typeof value === "string" ? <Strange text={value} /> : value
