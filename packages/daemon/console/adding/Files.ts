/** Files out of what was dropped or chosen: folders are walked, and what systems leave in folders for themselves is left out. */

export interface Given {
  readonly file: File
  /** With its folders, as the person knows it. */
  readonly path: string
}

const LITTER = /^(?:\.|~\$)|^(?:Thumbs\.db|desktop\.ini)$/i

const isWanted = (path: string): boolean => !path.split("/").some((part) => LITTER.test(part))

const entriesIn = (folder: FileSystemDirectoryEntry): Promise<ReadonlyArray<FileSystemEntry>> => {
  const reader = folder.createReader()
  const all: Array<FileSystemEntry> = []
  // A reader gives some at a time, and none when there are no more.
  return new Promise((resolve, reject) => {
    const more = () =>
      reader.readEntries((some) => {
        if (some.length === 0) return resolve(all)
        all.push(...some)
        more()
      }, reject)
    more()
  })
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

const walk = async (entry: FileSystemEntry, found: Array<Given>): Promise<void> => {
  const path = entry.fullPath.replace(/^\//, "")
  if (!isWanted(path)) return
  if (entry.isDirectory) {
    for (const inside of await entriesIn(entry as FileSystemDirectoryEntry)) await walk(inside, found)
  } else {
    found.push({ file: await fileOf(entry as FileSystemFileEntry), path })
  }
}

/** What was dropped. The entries are taken before the first wait, after which the browser forgets them. */
export const dropped = async (data: DataTransfer): Promise<ReadonlyArray<Given>> => {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry())
  const files = [...data.files]
  const found: Array<Given> = []
  for (const entry of entries) if (entry !== null) await walk(entry, found)
  return found.length > 0 || files.length === 0 ? found : chosen(files)
}

export const chosen = (files: ReadonlyArray<File>): ReadonlyArray<Given> =>
  files.map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => isWanted(path))
