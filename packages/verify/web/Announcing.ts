/** What is told beside the result: the verdict to screen readers, and beside each picker what is in use from it. */
import { byId } from "./Element.ts"
import type { Trust } from "./Evidence.ts"
import { isServed } from "./FromAddress.ts"
import { type Key, words } from "./Language.ts"
import { say } from "./Say.ts"

/** Tells a screen reader what the page says first. */
export const announceVerdict = (): void => {
  const texts = [...document.querySelectorAll("#notice:not([hidden]) > *, #verdict:not([hidden]) div > *")]
  byId("announce", HTMLElement).replaceChildren(texts.map(({ textContent }) => textContent).join(". "))
}

/** Says whom and what the person trusts, where it was given. */
export const tellTrust = ({ authors, checkpoints, expectedAuthor }: Trust): void => {
  told("authors-state", authors === undefined ? [] : [authors.name], "authorsHint")
  told("checkpoint-state", [...checkpoints.keys()], "checkpointHint")
  const isMalformed = expectedAuthor === undefined && byId("expected", HTMLInputElement).value.trim() !== ""
  const state = byId("expected-state", HTMLElement)
  state.classList.toggle("refused", isMalformed)
  state.replaceChildren(isMalformed ? words("expectedMalformed") : "")
  byId("offline", HTMLElement).replaceChildren(words(isServed() ? "served" : "offline"))
}

const told = (id: string, names: ReadonlyArray<string>, hint: Key): void => {
  byId(id, HTMLElement).replaceChildren(...(names.length === 0 ? [words(hint)] : say("inUse", { file: names })))
}
