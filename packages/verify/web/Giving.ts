/** The ways in which files reach the page: the pickers, dropping files or a folder anywhere, pasting. What they are for is decided elsewhere. */
import { byId } from "./Element.ts"

/** Which picker files came from; `any` where the page tells by what they are. */
export type Purpose = "any" | "proof" | "asset" | "authors" | "checkpoint" | "history"

export interface NamedFile {
  readonly file: Blob
  readonly name: string
}

export type Receive = (purpose: Purpose, files: ReadonlyArray<NamedFile> | Promise<ReadonlyArray<NamedFile>>) => void

/** Calls `receive` for whatever the person hands over. `pastedName` is what pasted text is called. */
export const listen = (receive: Receive, pastedName: () => string): void => {
  for (const purpose of ["proof", "asset", "authors", "checkpoint", "history"] as const) {
    const input = byId(`${purpose}-file`, HTMLInputElement)
    input.addEventListener("change", () => {
      const files = named([...(input.files ?? [])])
      // The same file can then be chosen again, after it was changed.
      input.value = ""
      if (files.length > 0) receive(purpose, files)
    })
  }
  const takeText = (text: string) => receive("proof", [{ file: new Blob([text]), name: pastedName() }])
  onDrop((data) => receive("any", filesIn(data)))
  document.addEventListener("paste", (event) => {
    if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return
    const files = named([...(event.clipboardData?.files ?? [])])
    const text = event.clipboardData?.getData("text/plain") ?? ""
    if (files.length > 0) receive("any", files)
    else if (text.trim() !== "") takeText(text)
  })
  const box = byId("proof-text", HTMLTextAreaElement)
  byId("proof-text-check", HTMLButtonElement).addEventListener("click", () => takeText(box.value))
}

const named = (files: ReadonlyArray<File>): ReadonlyArray<NamedFile> => files.map((file) => ({ file, name: file.name }))

const onDrop = (take: (data: DataTransfer | null) => void): void => {
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
    take(event.dataTransfer)
  })
}

/** Files that a system puts into every folder are nobody's (`.DS_Store`). */
const isHidden = ({ name }: NamedFile): boolean => name.startsWith(".")

/** What was dropped, with the files of a folder in its place; folders within folders are not looked into. */
const filesIn = async (data: DataTransfer | null): Promise<ReadonlyArray<NamedFile>> => {
  // Entries are only there while the drop is handled, so all are asked for before anything is awaited.
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null)
  const folders = entries.filter((entry) => entry?.isDirectory === true) as Array<FileSystemDirectoryEntry>
  const names = new Set(folders.map(({ name }) => name))
  const loose = named([...(data?.files ?? [])]).filter(({ name }) => !names.has(name))
  const inside = await Promise.all(folders.map(filesOfFolder))
  return [...loose, ...inside.flat().filter((file) => !isHidden(file))]
}

const filesOfFolder = async (folder: FileSystemDirectoryEntry): Promise<ReadonlyArray<NamedFile>> => {
  const reader = folder.createReader()
  const files: Array<NamedFile> = []
  for (;;) {
    // A folder is read in parts, until there is nothing more.
    const part = await new Promise<Array<FileSystemEntry>>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return files
    for (const entry of part) {
      if (entry.isFile) files.push(await fileOf(entry as FileSystemFileEntry))
    }
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<NamedFile> =>
  new Promise((resolve, reject) => entry.file((file) => resolve({ file, name: file.name }), reject))
