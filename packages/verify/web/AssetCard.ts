/** The card that takes the asset: reads it in the worker with its progress told, and shows a preview. */
import type { MeasuredAsset } from "@treemark/core/verify"
import { type Hashing, hashAsset } from "./AssetHash.ts"
import { byId, strange } from "./Element.ts"
import { clearPreview, showPreview } from "./Preview.ts"

export class AssetCard {
  private readonly card = byId("give-asset", HTMLElement)
  private readonly state = byId("asset-state", HTMLElement)
  private readonly bar = byId("asset-progress", HTMLProgressElement)
  private readonly stopButton = byId("asset-stop", HTMLButtonElement)
  private readonly preview = byId("preview", HTMLElement)
  private running: Hashing | undefined

  constructor() {
    this.stopButton.addEventListener("click", () => {
      this.clear()
      this.state.replaceChildren("Stopped. The file was not checked.")
    })
  }

  show(): void {
    this.card.hidden = false
  }

  /** Forgets the file and what is under way. */
  clear(): void {
    this.running?.stop()
    this.running = undefined
    this.busy(false)
    this.card.classList.remove("has-asset")
    this.state.classList.remove("refused")
    this.state.replaceChildren()
    clearPreview(this.preview)
  }

  /** Measures the file; undefined when it cannot be read, which the card then says. */
  async measure(file: Blob, name: string, unixfs: boolean): Promise<MeasuredAsset | undefined> {
    this.clear()
    this.busy(true)
    this.told(file, name, "Reading")
    const hashing = hashAsset({ file, unixfs }, (bytes) => {
      this.bar.value = bytes / file.size
    })
    this.running = hashing
    try {
      const measured = await hashing.measured
      this.card.classList.add("has-asset")
      this.told(file, name, "Read")
      await showPreview(this.preview, file).catch(() => clearPreview(this.preview))
      return measured
    } catch (error) {
      this.state.classList.add("refused")
      const reason = error instanceof Error ? error.message : "the browser gives no reason"
      this.state.replaceChildren("This file cannot be read: ", strange(reason), ". Choose it again.")
      return undefined
    } finally {
      if (this.running === hashing) this.busy(false)
    }
  }

  private told(file: Blob, name: string, doing: string): void {
    this.state.replaceChildren(`${doing}: `, strange(name, 120), `, ${sizeText(file.size)}`)
  }

  private busy(isBusy: boolean): void {
    this.bar.value = 0
    this.bar.hidden = !isBusy
    this.stopButton.hidden = !isBusy
  }
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"]

const sizeText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`
}
