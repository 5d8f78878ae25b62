/** The page's flow: a proof comes in, is verified, and shown; the asset, the authors and the checkpoints come beside it and it is shown again. */
import { explain, isAddressText, PROOF_LIMIT, type Report } from "@treemark/core/verify"
import { AssetCard } from "./AssetCard.ts"
import { checksTable } from "./ChecksTable.ts"
import { byId, strange } from "./Element.ts"
import type { EmbeddedProof } from "./EmbeddedProof.ts"
import { AUTHORS_LIMIT, boundedBytes, CHECKPOINT_LIMIT, Evidence, type Taken } from "./Evidence.ts"
import { explained } from "./Explained.ts"
import { findings } from "./Findings.ts"
import type { Given } from "./Giving.ts"
import { writtenText } from "./Preview.ts"
import { showProblem, showVerdict } from "./Verdict.ts"

export class Page implements Given {
  private evidence = new Evidence()
  private readonly assetCard = new AssetCard()
  private readonly verdict = byId("verdict", HTMLElement)
  private readonly save = byId("save", HTMLAnchorElement)

  constructor() {
    byId("print", HTMLButtonElement).addEventListener("click", () => window.print())
    byId("again", HTMLButtonElement).addEventListener("click", () => {
      byId("give-proof", HTMLElement).hidden = false
      byId("proof-file", HTMLInputElement).focus()
    })
    byId("asset-stop", HTMLButtonElement).addEventListener("click", () => this.withoutAsset())
    const expected = byId("expected", HTMLInputElement)
    expected.addEventListener("change", () => this.expect(expected.value.trim()))
  }

  readonly hasProof = (): boolean => this.evidence.proof !== undefined

  /** Shows the proof that came inside the page. */
  open({ bytes, fileName }: EmbeddedProof): void {
    byId("own-copy", HTMLElement).hidden = false
    this.takeProof(bytes, fileName)
  }

  async proof(file: Blob, name: string): Promise<void> {
    const bytes = await boundedBytes(file, PROOF_LIMIT)
    if (bytes === undefined) this.refuse("A proof has at most 16 MiB; this file is larger.")
    else this.takeProof(bytes, name)
    byId("verdict-title", HTMLElement).focus()
  }

  async asset(file: Blob, name: string): Promise<void> {
    this.withoutAsset()
    const { evidence } = this
    this.announce("Reading the file.")
    const asset = await this.assetCard.measure(file, name, evidence.wantsUnixfs())
    if (asset === undefined || this.evidence !== evidence) return
    evidence.asset = asset
    this.show()
  }

  async authors(file: Blob, name: string): Promise<void> {
    const bytes = await boundedBytes(file, AUTHORS_LIMIT)
    this.told("authors-state", name, bytes === undefined ? tooLarge("1 MiB") : this.evidence.takeAuthors(bytes))
  }

  async checkpoint(file: Blob, name: string): Promise<void> {
    const bytes = await boundedBytes(file, CHECKPOINT_LIMIT)
    const taken = bytes === undefined ? tooLarge("16 MiB") : this.evidence.takeCheckpoint(name, bytes)
    this.told("checkpoint-state", [...this.evidence.checkpoints.keys()].join(", ") || name, taken)
  }

  /** A new proof: the asset of the one before is forgotten, whom and what the person trusts stays. */
  private takeProof(bytes: Uint8Array, name: string): void {
    const before = this.evidence
    this.evidence = new Evidence()
    this.evidence.authors = before.authors
    this.evidence.expectedAuthor = before.expectedAuthor
    for (const [file, checkpoint] of before.checkpoints) this.evidence.checkpoints.set(file, checkpoint)
    this.assetCard.clear()
    const taken = this.evidence.takeProof(bytes)
    if (!taken.ok) {
      this.refuse(taken.reason)
      return
    }
    URL.revokeObjectURL(this.save.href)
    byId("give-proof", HTMLElement).hidden = true
    this.save.href = URL.createObjectURL(new Blob([bytes.slice()], { type: "application/octet-stream" }))
    this.save.download = /^[\w.-]{1,120}\.json$/.test(name) ? name : "proof.json"
    this.show()
  }

  private withoutAsset(): void {
    const { evidence } = this
    this.assetCard.clear()
    if (evidence.asset === undefined) return
    evidence.asset = undefined
    this.show()
  }

  private expect(address: string): void {
    const isUsable = address === "" || isAddressText(address)
    this.evidence.expectedAuthor = address === "" || !isUsable ? undefined : address
    const state = byId("expected-state", HTMLElement)
    state.classList.toggle("refused", !isUsable)
    state.replaceChildren(isUsable ? "" : "An address is 0x and 40 hexadecimal digits. Until then nobody is expected.")
    byId("expected", HTMLInputElement).setAttribute("aria-invalid", String(!isUsable))
    this.show()
  }

  private told(id: string, name: string, taken: Taken): void {
    const state = byId(id, HTMLElement)
    state.classList.toggle("refused", !taken.ok)
    state.replaceChildren(strange(taken.ok ? `In use: ${name}` : taken.reason, 1_000))
    if (taken.ok) this.show()
    else this.announce(state.textContent ?? "")
  }

  private refuse(reason: string): void {
    this.evidence.proof = undefined
    this.assetCard.clear()
    byId("give-asset", HTMLElement).hidden = true
    byId("result", HTMLElement).hidden = true
    byId("give-proof", HTMLElement).hidden = false
    this.announce(`${showProblem(this.verdict, "This is not a proof that can be read", reason)}. ${reason}`)
  }

  private show(): void {
    const report = this.evidence.report()
    const input = this.evidence.input()
    if (report === undefined || input === undefined) return
    this.announce(showVerdict(this.verdict, report))
    byId("facts", HTMLElement).replaceChildren(...findings(report, this.evidence.tree()))
    byId("checks-count", HTMLElement).replaceChildren(counts(report))
    byId("checks", HTMLElement).replaceChildren(...checksTable(report, explained(explain(input, report))))
    const tree = new TextDecoder().decode(this.evidence.proof?.treeBytes)
    const isSigned = report.provenance.assetTreeSha256 === "signed"
    byId("tree-title", HTMLElement).replaceChildren(isSigned ? "The text that was signed" : "The text in this proof")
    byId("tree", HTMLElement).replaceChildren(writtenText(tree, "The asset tree, as it stands in the proof"))
    this.assetCard.show()
    byId("result", HTMLElement).hidden = false
  }

  private announce(text: string): void {
    byId("announce", HTMLElement).replaceChildren(strange(text, 2_000))
  }
}

const tooLarge = (limit: string): Taken => ({
  ok: false,
  reason: `Such a file has at most ${limit}; this one is larger.`
})

const counts = ({ checks }: Report): string => {
  const count = (outcome: string) => checks.filter((check) => check.outcome === outcome).length
  return `${count("pass")} passed, ${count("fail")} failed, ${count("skipped")} not checked, each with its reason.`
}
