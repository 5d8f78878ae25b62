/**
 * The one way in which this page makes elements. Text goes in as text nodes, never as markup, and attributes come from a short list that
 * can neither run code nor load anything; so what a proof says cannot become part of the page.
 */
import { visible } from "./Visible.ts"

type Child = Node | string | undefined

interface Attributes {
  readonly class?: string
  readonly id?: string
  readonly title?: string
  readonly lang?: string
  readonly role?: string
  readonly tabindex?: string
  readonly "aria-label"?: string
  readonly "aria-hidden"?: "true"
}

/** An element with attributes and children, all of this page's own wording. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** Text of strangers on one line: cut after `longest` characters, with invisible and direction-changing characters shown by their code. */
export const strange = (text: string, longest = 400): HTMLElement => {
  const shown = element("bdi", { class: "strange" })
  for (const part of visible(text, longest)) {
    if (part.kind === "text") shown.append(part.text)
    else shown.append(element("span", { class: "odd", title: "A character that is not visible" }, part.text))
  }
  return shown
}

/** The element of the page with this id. */
export const byId = <Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${kind.name} "${id}".`)
}
