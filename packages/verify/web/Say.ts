/**
 * Sentences of the table (Language.ts) as elements. Values go in as text of strangers: cut, with what is unseen shown by its code, and
 * apart from the text around them; so neither a proof nor a translation can turn a value into part of the page.
 */
import { element } from "./Element.ts"
import { choose, type Key, type Language, momentText, numberText, words } from "./Language.ts"
import { type Part, visible } from "./Visible.ts"

/** What a sentence is told with: text of strangers, a time, another sentence of the table, or several of these. */
export type Value = string | { readonly time: string } | Sentence | ReadonlyArray<Value>
export type Values = Readonly<Record<string, Value>>

/** A sentence with its values, kept until it is shown, so that it can be shown again in another language. */
export interface Sentence {
  readonly key: Key
  readonly values?: Values | undefined
}

/** Text of strangers on one line: cut after `longest` characters, with invisible and direction-changing characters shown by their code. */
export const strange = (text: string, longest = 400): HTMLElement => {
  const shown = element("bdi", { class: "strange" })
  shown.append(...visible(text, longest).map(shownPart))
  // Addresses, hashes and CIDs are compared digit by digit.
  if (/^[\dA-Za-z]{32,}$/.test(text)) shown.classList.add("digits")
  return shown
}

export const shownPart = (part: Part): Node | string => {
  if (part.kind === "text") return part.text
  return "count" in part
    ? element("span", { class: "odd" }, words(part.kind).replace("{count}", numberText(part.count)))
    : element("span", { class: "odd", title: words("invisible") }, part.text)
}

/** The sentence for `key` with its values, as nodes for an element. */
export const say = (key: Key, values: Values = {}): ReadonlyArray<Node | string> =>
  words(key)
    .split(/(\{\w+\})/)
    .flatMap((part): ReadonlyArray<Node | string> => {
      if (part === "{command}") return [element("code", {}, String(values.command ?? COMMAND))]
      const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined
      if (value === undefined) return part === "" ? [] : [part]
      return valueNodes(value)
    })

const valueNodes = (value: Value): ReadonlyArray<Node | string> => {
  if (typeof value === "string") return [strange(value, 300)]
  if ("time" in value) return [moment(value.time)]
  if ("key" in value) return say(value.key, value.values)
  return value.flatMap((one, at) => [...(at === 0 ? [] : [" · "]), ...valueNodes(one)])
}

/** A time of the report, as people write it. */
export const moment = (iso: string): HTMLElement => element("time", { title: iso }, momentText(iso))

/** How whoever has a terminal checks a proof without this page. */
const COMMAND = "npx @treemark/verify FILE"

/** A paragraph of these sentences. */
export const paragraph = (className: string, ...sentences: ReadonlyArray<Sentence>): HTMLElement =>
  element(
    "p",
    className === "" ? {} : { class: className },
    ...sentences.flatMap(({ key, values }, at) => [...(at === 0 ? [] : [" "]), ...say(key, values)])
  )

/** Chooses the language and says again what the page's own HTML says. */
export const speak = (chosen: Language): void => {
  choose(chosen)
  document.documentElement.lang = chosen.tag
  document.title = words("pageTitle")
  for (const place of document.querySelectorAll<HTMLElement>("[data-say]")) {
    place.replaceChildren(...say(place.dataset.say as Key))
  }
  for (const place of document.querySelectorAll<HTMLElement>("[data-label]")) {
    place.setAttribute("aria-label", words(place.dataset.label as Key))
  }
}
