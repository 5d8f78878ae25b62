/**
 * The one way in which this page makes elements. Text goes in as text nodes, never as markup, and attributes come from a short list that
 * can neither run code nor load anything; so what a proof says cannot become part of the page.
 */

type Child = Node | string | undefined

interface Attributes {
  readonly class?: string
  readonly id?: string
  readonly title?: string
  readonly lang?: string
  readonly role?: string
  readonly tabindex?: string
  readonly type?: "button"
  readonly "aria-label"?: string
  readonly "aria-labelledby"?: string
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

/** The element of the page with this id. */
export const byId = <Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${kind.name} "${id}".`)
}
