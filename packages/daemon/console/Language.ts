/** The language of the console: the first of the browser's that is here, until the person chooses another, which the browser remembers. */
import { english, type Key, type Strings } from "./languages/English.ts"
import { traditionalChinese } from "./languages/TraditionalChinese.ts"

export interface Language {
  readonly tag: string
  /** What the language calls itself. */
  readonly name: string
  readonly locale: string
  readonly strings: Strings
}

export const LANGUAGES: ReadonlyArray<Language> = [
  { tag: "en", name: "English", locale: "en-GB", strings: english },
  { tag: "zh-Hant", name: "繁體中文", locale: "zh-TW", strings: traditionalChinese }
]

const KEPT = "treemark language"

/** Storage may be forbidden; then nothing is remembered. */
const kept = (): string | null => {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

const preferred = (): Language => {
  for (const tag of [kept() ?? "", ...navigator.languages]) {
    const found = LANGUAGES.find((one) => one.tag.split("-")[0] === tag.toLowerCase().split("-")[0])
    if (found !== undefined) return found
  }
  return LANGUAGES[0]!
}

let current = preferred()

export const language = (): Language => current

export const choose = (tag: string): void => {
  current = LANGUAGES.find((one) => one.tag === tag) ?? current
  try {
    localStorage.setItem(KEPT, current.tag)
  } catch {
    // Said in this language until the page is closed.
  }
}

/** A sentence with plain values in it, for a label or a title. */
export const words = (key: Key, values: Readonly<Record<string, string | number>> = {}): string =>
  current.strings[key].replace(/\{(\w+)\}/g, (_, name: string) => plain(values[name] ?? ""))

const plain = (value: string | number): string => (typeof value === "number" ? numberText(value) : value)

export const numberText = (value: number): string => value.toLocaleString(current.locale, { maximumFractionDigits: 1 })

/** Making a format costs a hundred times what using it does. */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatted = (iso: string, style: Intl.DateTimeFormatOptions): string => {
  const moment = new Date(iso)
  if (Number.isNaN(moment.getTime())) return iso
  const key = `${current.locale} ${style.timeStyle ?? ""}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(current.locale, style)
  formats.set(key, format)
  return format.format(moment)
}

/** A time as people write it, in their own time zone. */
export const momentText = (iso: string): string => formatted(iso, { dateStyle: "medium", timeStyle: "short" })

export const dayText = (iso: string): string => formatted(iso, { dateStyle: "medium" })

const SIZES = ["B", "kB", "MB", "GB", "TB"]

export const sizeText = (bytes: number): string => {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${numberText(bytes / 1000 ** power)} ${SIZES[power]}`
}
