/** The ways in which files reach the page: the pickers, dropping anywhere, pasting. What a file is for is decided by its content. */
import { CHECKPOINT_MEDIA_TYPE, PROOF_LIMIT, PROOF_MEDIA_TYPE } from "@treemark/core/verify"
import { byId } from "./Element.ts"
import { proofInPage } from "./EmbeddedProof.ts"

export type Purpose = "proof" | "asset" | "authors" | "checkpoint"

export interface Given {
  readonly proof: (file: Blob, name: string) => Promise<void>
  readonly asset: (file: Blob, name: string) => Promise<void>
  readonly authors: (file: Blob, name: string) => Promise<void>
  readonly checkpoint: (file: Blob, name: string) => Promise<void>
}

/** Calls `given` for whatever the person hands over, one file after the other, proofs first. */
export const listen = (given: Given, hasProof: () => boolean): void => {
  const take = async (purpose: Purpose, file: Blob, name: string) =>
    given[purpose](purpose === "proof" ? await withoutPage(file) : file, name)

  for (const purpose of ["proof", "asset", "authors", "checkpoint"] as const) {
    const input = byId(`${purpose}-file`, HTMLInputElement)
    input.addEventListener("change", async () => {
      const files = [...(input.files ?? [])]
      for (const file of files) await take(purpose, file, file.name)
      // The same file can then be chosen again, after it was changed.
      input.value = ""
    })
  }

  const takeAll = async (files: ReadonlyArray<File>) => {
    const purposes = await Promise.all(files.map(purposeOf))
    const isProofHere = hasProof() || purposes.includes("proof")
    const sorted = files.map((file, at) => ({ file, purpose: purposes[at] ?? (isProofHere ? "asset" : "proof") }))
    for (const { file, purpose } of sorted.filter((one) => one.purpose === "proof"))
      await take(purpose, file, file.name)
    for (const { file, purpose } of sorted.filter((one) => one.purpose !== "proof"))
      await take(purpose, file, file.name)
  }
  const takeText = (text: string) => take("proof", new Blob([text]), "pasted text")

  onDrop((files) => void takeAll(files))
  document.addEventListener("paste", (event) => {
    if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return
    const files = [...(event.clipboardData?.files ?? [])]
    const text = event.clipboardData?.getData("text/plain") ?? ""
    if (files.length > 0) void takeAll(files)
    else if (text.trim() !== "") void takeText(text)
  })
  const box = byId("proof-text", HTMLTextAreaElement)
  byId("proof-text-check", HTMLButtonElement).addEventListener("click", () => void takeText(box.value))
}

const onDrop = (take: (files: ReadonlyArray<File>) => void): void => {
  const over = (isOver: boolean) => document.body.classList.toggle("over", isOver)
  document.addEventListener("dragover", (event) => {
    event.preventDefault()
    over(true)
  })
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false)
  })
  document.addEventListener("drop", (event) => {
    event.preventDefault()
    over(false)
    take([...(event.dataTransfer?.files ?? [])])
  })
}

/** What a dropped file is for, where it tells: a proof and a checkpoint say so themselves, a list of authors begins with an address. */
const purposeOf = async (file: File): Promise<Purpose | undefined> => {
  if (file.size > 2 * PROOF_LIMIT) return "asset"
  const text = await file.text()
  if (text.includes(`"${PROOF_MEDIA_TYPE}"`) && /^\s*\{/.test(text)) return "proof"
  if (text.includes(`"${CHECKPOINT_MEDIA_TYPE}"`) && /^\s*\{/.test(text)) return "checkpoint"
  if (proofInPage(text) !== undefined) return "proof"
  if (/^(\s*#[^\n]*\n)*\s*0x[0-9a-fA-F]{40}[ \t]+\S/.test(text)) return "authors"
  return undefined
}

/** A page with its proof inside stands for the proof. */
const withoutPage = async (file: Blob): Promise<Blob> => {
  if (file.size > 2 * PROOF_LIMIT) return file
  const inside = proofInPage(await file.text())
  return inside === undefined ? file : new Blob([inside.bytes.slice()])
}
