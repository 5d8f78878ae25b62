/**
 * The page's flow. Whatever is given goes one way: the result that stands there is taken away, then the files are looked at, then verification runs and
 * what came of it is shown. If anything throws on this way, nothing of before is shown again: the page says not to rely on what was given.
 */
import { AUTHORS_LIMIT, CHECKPOINT_LIMIT, isAddressText } from "@treemark/core/verify"
import { announceVerdict, tellTrust } from "./Announcing.ts"
import { AssetCard } from "./AssetCard.ts"
import { byId } from "./Element.ts"
import type { EmbeddedProof } from "./EmbeddedProof.ts"
import { boundedBytes, type Subject, Trust, wantsUnixfs } from "./Evidence.ts"
import { proofAt } from "./FromAddress.ts"
import type { Purpose, Receive } from "./Giving.ts"
import { kindOf } from "./Kind.ts"
import { looked, unreadable } from "./Looking.ts"
import { Screen } from "./Screen.ts"
import { type Given, isProblem, noProof, other, type Plan, type Problem, sorted } from "./Sorting.ts"
import { type Entry, readStory, type Story, type ToldStory, tellStory } from "./Story.ts"
import { takeProof } from "./TakeProof.ts"

/** Whether what is being done is still what the person waits for. */
type IsWanted = () => boolean
type Act = (isWanted: IsWanted, names: Array<string>) => Promise<Problem | undefined> | Problem | undefined

export class Page {
  private readonly screen = new Screen()
  private readonly assetCard = new AssetCard()
  private trust = new Trust()
  private subject: Subject | undefined
  private story: Story | undefined
  private told: ToldStory | undefined
  private problem: Problem | undefined
  private crashedBy: ReadonlyArray<string> | undefined
  private turn = 0
  private isBusy = false
  /** The focus goes to the verdict next time, and not back to where it was. */
  private isNew = false

  constructor() {
    byId("print", HTMLButtonElement).addEventListener("click", () => window.print())
    byId("again", HTMLButtonElement).addEventListener("click", () => {
      byId("give-proof", HTMLElement).hidden = false
      byId("proof-file", HTMLInputElement).focus()
    })
    byId("back", HTMLButtonElement).addEventListener("click", () => this.attempt([], () => this.backToStory()))
    byId("asset-stop", HTMLButtonElement).addEventListener("click", () =>
      this.attempt([], () => ({ headline: "stopped", sentences: [] }))
    )
    const expected = byId("expected", HTMLInputElement)
    expected.addEventListener("change", () => this.attempt([], () => this.expect(expected.value.trim())))
    this.screen.start(undefined)
    tellTrust(this.trust)
  }

  /** Shows the proof that came inside the page. */
  open({ bytes, fileName }: EmbeddedProof): void {
    byId("own-copy", HTMLElement).hidden = false
    void this.attempt([fileName], async (isWanted) => {
      const problem = await this.proofFrom(new Blob([bytes.slice()]), fileName, isWanted)
      // Nobody asked for it yet, so the focus stays at the beginning of the page.
      this.isNew = false
      return problem
    })
  }

  /** Shows the proof at an address of the origin that this page came from. */
  openAddress(address: string): void {
    void this.attempt([address], async (isWanted) => {
      const found = await proofAt(address)
      return found instanceof Uint8Array ? this.proofFrom(new Blob([found.slice()]), address, isWanted) : found
    })
  }

  readonly receive: Receive = (purpose, files) => {
    void this.attempt([], async (isWanted, names) => {
      const named = await files
      names.push(...named.map(({ name }) => name))
      if (isWanted()) this.screen.reading(names)
      const given = await looked(named)
      const plan = isProblem(given) ? given : this.planOf(purpose, given)
      return isProblem(plan) ? plan : this.take(plan, isWanted)
    })
  }

  /** Everything that is shown, said again in the language of the page. What is being read goes on. */
  sayAgain(): void {
    tellTrust(this.trust)
    if (!this.isBusy) void this.attempt([], () => this.problem)
  }

  /** The one way: see the head of this file. */
  private async attempt(known: ReadonlyArray<string>, act: Act): Promise<void> {
    const turn = ++this.turn
    const isWanted = () => turn === this.turn
    const names = [...known]
    const focused = document.activeElement
    try {
      this.screen.takeAway()
      this.assetCard.stop()
      this.isBusy = true
      const acting = act(isWanted, names)
      const problem = acting instanceof Promise ? await acting : acting
      if (isWanted() && this.story !== undefined && this.told === undefined) await this.tell(this.story, isWanted)
      if (!isWanted()) return
      this.problem = problem
      this.show()
      this.isBusy = false
      announceVerdict()
      if (this.isNew) byId("verdict-title", HTMLElement).focus()
      else if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
      this.isNew = false
    } catch {
      if (isWanted()) this.giveUp(names)
    }
  }

  private show(): void {
    if (this.subject !== undefined) {
      this.screen.result(this.subject, this.trust, this.problem, this.story !== undefined)
      void this.assetCard.show()
    } else if (this.told !== undefined) {
      this.screen.story(this.told, this.problem, (entry) => void this.attempt([], () => this.openEntry(entry)))
    } else if (this.crashedBy !== undefined && this.problem === undefined) this.screen.crashed(this.crashedBy)
    else this.screen.start(this.problem)
  }

  /** Puts everything away that was given, so that nothing of it can come back, and says so. */
  private giveUp(names: ReadonlyArray<string>): void {
    const known = [...names, this.subject?.name, this.subject?.asset?.name].filter((name) => name !== undefined)
    this.crashedBy = [...new Set(known)]
    this.trust = new Trust()
    this.forget()
    this.problem = undefined
    this.isBusy = false
    this.isNew = false
    this.screen.takeAway()
    this.screen.crashed(this.crashedBy)
    byId("expected", HTMLInputElement).value = ""
    tellTrust(this.trust)
    announceVerdict()
    byId("verdict-title", HTMLElement).focus()
  }

  private forget(): void {
    this.subject = undefined
    this.story = undefined
    this.told = undefined
    this.assetCard.clear()
  }

  private planOf(purpose: Purpose, given: ReadonlyArray<Given>): Plan | Problem {
    const [first] = given
    const none = { checkpoints: [], history: [] }
    const isHistory = given.some(({ kind }) => kind === "history" || kind === "car")
    if (first === undefined || purpose === "any" || (isHistory && purpose === "proof")) {
      return sorted(given, this.subject !== undefined)
    }
    if (purpose === "history") {
      return isHistory ? sorted(given, false) : other(first, "notHistory", "giveHistory")
    }
    if (purpose === "checkpoint") return { ...none, checkpoints: given }
    return { ...none, [purpose]: first }
  }

  private async take(plan: Plan, isWanted: IsWanted): Promise<Problem | undefined> {
    const trusted = (await this.takeAuthors(plan.authors)) ?? (await this.takeCheckpoints(plan.checkpoints))
    if (trusted !== undefined || !isWanted()) return trusted
    if (plan.history.length > 0) return this.takeStory(plan.history, isWanted)
    if (plan.proof !== undefined) {
      const problem = await this.takeProof(plan.proof, isWanted)
      if (problem !== undefined || !isWanted()) return problem
    }
    return plan.asset === undefined ? undefined : this.takeAsset(plan.asset, isWanted)
  }

  private async takeAuthors(given: Given | undefined): Promise<Problem | undefined> {
    if (given === undefined) return undefined
    const bytes = await boundedBytes(given.file, AUTHORS_LIMIT)
    if (bytes === undefined) return tooLarge(given, "notAuthors", "giveAuthors")
    const refusal = this.trust.takeAuthors(given.name, bytes)
    this.trustChanged()
    return refusal === undefined ? undefined : other(given, "notAuthors", "giveAuthors", refusal)
  }

  private async takeCheckpoints(all: ReadonlyArray<Given>): Promise<Problem | undefined> {
    for (const given of all) {
      const bytes = await boundedBytes(given.file, CHECKPOINT_LIMIT)
      if (bytes === undefined) return tooLarge(given, "notCheckpoint", "giveCheckpoint")
      const refusal = this.trust.takeCheckpoint(given.name, bytes)
      this.trustChanged()
      if (refusal !== undefined) return other(given, "notCheckpoint", "giveCheckpoint", refusal)
    }
    const found = this.trust.dropDisagreeing()
    if (found === undefined) return undefined
    this.trustChanged()
    const files = [found.first.name ?? "–", found.second.name ?? "–"]
    const values = { files, block: String(found.number), chain: String(found.chainId) }
    return { headline: "tooMany", sentences: [{ key: "disagree", values }] }
  }

  private expect(address: string): Problem | undefined {
    this.trust.expectedAuthor = isAddressText(address) ? address : undefined
    const isUsable = address === "" || this.trust.expectedAuthor !== undefined
    byId("expected", HTMLInputElement).setAttribute("aria-invalid", String(!isUsable))
    this.trustChanged()
    return this.problem
  }

  private trustChanged(): void {
    tellTrust(this.trust)
    this.told = undefined
  }

  private async proofFrom(file: Blob, name: string, isWanted: IsWanted): Promise<Problem | undefined> {
    return this.takeProof({ file, name, kind: await kindOf(file) }, isWanted)
  }

  /** A new proof: the file beside the one before is forgotten. What is no proof at all leaves the one that is shown where it is. */
  private async takeProof(given: Given, isWanted: IsWanted): Promise<Problem | undefined> {
    const taken = await takeProof(given)
    if (!isWanted()) return undefined
    if (taken.result === "other") return noProof(given)
    this.forget()
    if (taken.result === "damaged") return taken.problem
    this.accept(taken.subject)
    return undefined
  }

  private accept(subject: Subject): void {
    this.assetCard.clear()
    this.subject = subject
    this.crashedBy = undefined
    this.isNew = true
  }

  private async takeAsset({ file, name }: Given, isWanted: IsWanted): Promise<Problem | undefined> {
    const { subject } = this
    if (subject === undefined) return noProof({ file, name, kind: await kindOf(file) })
    this.subject = { ...subject, asset: undefined }
    const measured = await this.assetCard.measure(file, wantsUnixfs(subject))
    if (!isWanted()) return undefined
    if (measured === undefined) return unreadable([name])
    this.subject = { ...subject, asset: { name, measured } }
    return undefined
  }

  private async takeStory(files: ReadonlyArray<Given>, isWanted: IsWanted): Promise<Problem | undefined> {
    const story = await readStory(files)
    if (!isWanted()) return undefined
    if (isProblem(story)) return story
    this.forget()
    this.story = story
    this.crashedBy = undefined
    this.isNew = true
    return undefined
  }

  private async tell(story: Story, isWanted: IsWanted): Promise<void> {
    const told = await tellStory(story, this.trust, (done, all) => this.screen.counted(done, all), isWanted)
    if (isWanted()) this.told = told
  }

  private openEntry({ finding, subject }: Entry): Problem | undefined {
    if (subject !== undefined) this.accept(subject)
    else if (finding.proof !== null) return unreadable([finding.proof])
    return undefined
  }

  private backToStory(): Problem | undefined {
    this.subject = undefined
    this.assetCard.clear()
    this.isNew = true
    return undefined
  }
}

const tooLarge = (
  { name }: Given,
  headline: "notAuthors" | "notCheckpoint",
  giveInstead: "giveAuthors" | "giveCheckpoint"
): Problem => ({
  headline,
  sentences: [{ key: "tooLarge", values: { file: name } }, { key: giveInstead }]
})
