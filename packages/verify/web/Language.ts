/** The language of the page: the first of the browser's that is here, until the person chooses another. Say.ts makes elements of its sentences. */
import { english, type Key, type Strings } from "./languages/English.ts"
import { french } from "./languages/French.ts"
import { german } from "./languages/German.ts"
import { japanese } from "./languages/Japanese.ts"
import { spanish } from "./languages/Spanish.ts"
import { traditionalChinese } from "./languages/TraditionalChinese.ts"

export type { Key } from "./languages/English.ts"

export interface Language {
  /** The tag that the page's `lang` gets. */
  readonly tag: string
  /** What the language calls itself. */
  readonly name: string
  /** How it writes dates and numbers. */
  readonly locale: string
  readonly strings: Strings
}

export const LANGUAGES: ReadonlyArray<Language> = [
  { tag: "en", name: "English", locale: "en-GB", strings: english },
  { tag: "zh-Hant", name: "繁體中文", locale: "zh-TW", strings: traditionalChinese },
  { tag: "es", name: "Español", locale: "es", strings: spanish },
  { tag: "fr", name: "Français", locale: "fr", strings: french },
  { tag: "de", name: "Deutsch", locale: "de", strings: german },
  { tag: "ja", name: "日本語", locale: "ja", strings: japanese }
]

let current = LANGUAGES[0]!

export const language = (): Language => current

/** Chinese of any kind reads the traditional script sooner than English. */
export const preferred = (wanted: ReadonlyArray<string>): Language => {
  for (const tag of wanted) {
    const found = LANGUAGES.find((one) => one.tag.split("-")[0] === tag.toLowerCase().split("-")[0])
    if (found !== undefined) return found
  }
  return LANGUAGES[0]!
}

/** From here on everything is said in this language. */
export const choose = (chosen: Language): void => {
  current = chosen
}

/** A sentence as it stands in the table. */
export const words = (key: Key): string => current.strings[key]

/** A time of the report as people write it, in UTC. */
export const momentText = (iso: string): string =>
  `${new Date(iso).toLocaleString(current.locale, { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" })} UTC`

export const numberText = (value: number): string => value.toLocaleString(current.locale, { maximumFractionDigits: 1 })
