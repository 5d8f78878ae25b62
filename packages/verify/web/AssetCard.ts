/** The file that the proof may be about: read in the worker with its progress told, and shown as a preview. */
import type { MeasuredAsset } from "@treemark/core/verify"
import { type Hashing, hashAsset, UnreadableAsset } from "./AssetHash.ts"
import { byId } from "./Element.ts"
import { clearPreview, showPreview } from "./Preview.ts"

export class AssetCard {
  private readonly bar = byId("asset-progress", HTMLProgressElement)
  private readonly stopButton = byId("asset-stop", HTMLButtonElement)
  private readonly preview = byId("preview", HTMLElement)
  private running: Hashing | undefined
  private file: Blob | undefined

  /** Forgets the file and what is under way. */
  clear(): void {
    this.running?.stop()
    this.running = undefined
    this.file = undefined
    this.busy(false)
    clearPreview(this.preview)
  }

  /** Ends the reading of a file, where one is under way. */
  stop(): void {
    if (this.running !== undefined) this.clear()
  }

  /** Measures the file; undefined when the browser cannot read it. */
  async measure(file: Blob, unixfs: boolean): Promise<MeasuredAsset | undefined> {
    this.clear()
    this.busy(true)
    const hashing = hashAsset({ file, unixfs }, (bytes) => {
      this.bar.value = bytes / file.size
    })
    this.running = hashing
    try {
      const measured = await hashing.measured
      this.file = file
      return measured
    } catch (error) {
      if (error instanceof UnreadableAsset) return undefined
      throw error
    } finally {
      if (this.running === hashing) {
        this.running = undefined
        this.busy(false)
      }
    }
  }

  /** The preview, in the language of the page. A file that cannot be shown was measured all the same. */
  async show(): Promise<void> {
    const { file } = this
    if (file === undefined) return
    await showPreview(this.preview, file).catch(() => clearPreview(this.preview))
    if (this.file !== file) clearPreview(this.preview)
  }

  private busy(isBusy: boolean): void {
    this.bar.value = 0
    this.bar.hidden = !isBusy
    this.stopButton.hidden = !isBusy
  }
}
