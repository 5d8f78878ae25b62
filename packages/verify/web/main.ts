/** The one script of the page, which is also its worker's: starts what the place it runs in asks for, and shows the proof that came inside. */
import { embeddedProof } from "./EmbeddedProof.ts"
import { listen } from "./Giving.ts"
import { startHashWorker } from "./HashWorker.ts"
import { Page } from "./Page.ts"

const startPage = (): void => {
  const page = new Page()
  listen(page, page.hasProof)
  const inside = embeddedProof()
  if (inside !== undefined) page.open(inside)
}

if (typeof document === "undefined") startHashWorker()
else startPage()
