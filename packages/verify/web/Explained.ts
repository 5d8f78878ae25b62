/**
 * The explanations of core, as what stands under each check: what is compared, the bytes hashed, and commands that do the same elsewhere. They are
 * for engineers and in English only; what a person needs stands above them in the language of the page.
 */
import type { BytesExcerpt, CheckName, ExplainedCommand, Explanation, HashedBytes } from "@treemark/core/verify"
import { element } from "./Element.ts"
import { language, words } from "./Language.ts"
import { writtenText } from "./Preview.ts"
import { strange } from "./Say.ts"

/** What to show for each check. */
export const explained = (all: ReadonlyArray<Explanation>): ReadonlyMap<CheckName, HTMLElement> =>
  new Map(all.map((one) => [one.check, block(one)]))

const block = ({ commands, hashed, inputs, nearMiss, paragraphs }: Explanation): HTMLElement => {
  const facts = element("dl", {})
  const add = (label: string, value: HTMLElement) =>
    facts.append(element("dt", {}, strange(label)), element("dd", {}, value))
  for (const { label, value } of inputs) add(`Input: ${label}`, strange(value))
  for (const one of hashed) add(`Hashed with ${one.hash}: ${one.label}, ${one.length} bytes`, excerpt(one))
  const told = element(
    "div",
    { lang: "en" },
    nearMiss === null ? undefined : element("p", { class: "advice" }, strange(nearMiss.advice, 2_000)),
    ...paragraphs.map((text) => element("p", {}, text)),
    facts.childElementCount === 0 ? undefined : facts,
    ...commands.flatMap(command)
  )
  const note = language().tag === "en" ? undefined : element("p", { class: "soft" }, words("inEnglish"))
  return element("div", {}, element("h4", {}, words("engineers")), note, told)
}

const excerpt = ({ first, last }: HashedBytes): HTMLElement =>
  element("span", {}, bytes(first), ...(last === null ? [] : [" … ", bytes(last)]))

const bytes = ({ hex, text }: BytesExcerpt): HTMLElement => element("span", {}, hex, " “", strange(text), "”")

const command = ({ line, needsNode, note, prints, tool }: ExplainedCommand): ReadonlyArray<HTMLElement> => [
  writtenText(line, `Command with ${tool}`),
  ...(needsNode ? [element("p", {}, "It asks a node of the ledger, whose address you put into RPC_URL.")] : []),
  ...(prints === null
    ? noteAlone(note)
    : [
        // The value stands on a line of its own: a full stop beside it would look like a part of it.
        element("p", {}, "It prints", ...(note === null ? [] : [" (", strange(note, 1_000), ")"]), ":"),
        element("p", {}, element("code", {}, strange(prints)))
      ])
]

const noteAlone = (note: string | null): ReadonlyArray<HTMLElement> =>
  note === null ? [] : [element("p", {}, strange(`${note.charAt(0).toUpperCase()}${note.slice(1)}.`, 1_000))]
