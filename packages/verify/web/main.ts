/** The one script of the page, which is also its worker's: starts what the place it runs in asks for, and shows the proof that came inside. */
import { byId, element } from "./Element.ts"
import { embeddedProof } from "./EmbeddedProof.ts"
import { linkedProof } from "./FromAddress.ts"
import { listen } from "./Giving.ts"
import { startHashWorker } from "./HashWorker.ts"
import { LANGUAGES, language, preferred, words } from "./Language.ts"
import { Page } from "./Page.ts"
import { speak } from "./Say.ts"

const startPage = (): void => {
  speak(preferred(navigator.languages))
  const page = new Page()
  listen(page.receive, () => words("pastedText"))
  offerLanguages(() => page.sayAgain())
  byId("not-started", HTMLElement).hidden = true
  const inside = embeddedProof()
  const linked = linkedProof()
  if (inside !== undefined) page.open(inside)
  else if (linked !== undefined) page.openAddress(linked)
}

const offerLanguages = (changed: () => void): void => {
  const choice = byId("language", HTMLSelectElement)
  for (const { name, tag } of LANGUAGES) {
    const option = element("option", { lang: tag }, name)
    option.value = tag
    choice.append(option)
  }
  choice.value = language().tag
  choice.addEventListener("change", () => {
    speak(preferred([choice.value]))
    changed()
  })
}

if (typeof document === "undefined") startHashWorker()
else startPage()
