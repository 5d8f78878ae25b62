/** The first card of the page: what came of it all, in words for everybody; or why there is no result. */
import type { Report } from "@treemark/core/verify"
import type { Tone } from "../src/answers/Tone.ts"
import { element } from "./Element.ts"
import { type Key, words } from "./Language.ts"
import { paragraph, type Sentence, say } from "./Say.ts"
import type { Problem } from "./Sorting.ts"
import type { Summary } from "./Summary.ts"

const MARKS: Readonly<Record<Tone, string>> = { full: "✓", open: "…", amber: "!", bad: "✕" }

interface Card {
  readonly tone: string
  readonly mark: string
  readonly word: Key
  readonly headline: Sentence
  readonly paragraphs: ReadonlyArray<Node>
}

/** The card's class and content; nothing is put into the page yet. */
export interface DrawnCard {
  readonly className: string
  readonly content: ReadonlyArray<Node>
}

/** What the result is of: names of files, as they were given. */
export interface About {
  readonly proof: string
  readonly asset: string | undefined
}

export const verdictCard = (report: Report, summary: Summary, { asset, proof }: About): DrawnCard => {
  const { answers, verdict } = report
  const about: ReadonlyArray<Sentence> = [
    { key: "aboutProof", values: { proof } },
    ...(asset === undefined ? [] : [{ key: "aboutFile", values: { file: asset } } as const])
  ]
  return card({
    tone: `tone-${summary.tone} ${verdict}`,
    mark: MARKS[summary.tone],
    word: summary.word,
    headline: summary.headline,
    paragraphs: [
      ...summary.sentences.map((sentence) => paragraph("", sentence)),
      ...about.map((sentence) => paragraph("soft small", sentence)),
      paragraph("soft small tools", {
        key: "tools",
        values: { verdict, file: answers.file, who: answers.who, when: answers.when }
      })
    ]
  })
}

/** Something that could not be used, when there is no result beside it. */
export const problemCard = ({ english, headline, sentences }: Problem): DrawnCard =>
  card({
    tone: "tone-amber problem",
    mark: "!",
    word: "wordProblem",
    headline: { key: headline },
    paragraphs: [...sentences.map((sentence) => paragraph("", sentence)), ...inEnglish(english)]
  })

/** When looking at what was given failed in a way that nobody foresaw. */
export const crashCard = (names: ReadonlyArray<string>): DrawnCard =>
  card({
    tone: "tone-bad problem crash",
    mark: "✕",
    word: "wordBad",
    headline: { key: "headBad" },
    paragraphs: [
      paragraph("", { key: "crashMeans", values: { file: names.length === 0 ? { key: "nothingGiven" } : names } }),
      paragraph("", { key: "crashDo" })
    ]
  })

export const card = ({ headline, mark, paragraphs, tone, word }: Card): DrawnCard => ({
  className: `card verdict ${tone}`,
  content: [
    element("span", { class: "seal", "aria-hidden": "true" }, mark),
    element(
      "div",
      {},
      element("p", { class: "word" }, words(word)),
      element("h2", { id: "verdict-title", tabindex: "-1" }, ...say(headline.key, headline.values)),
      ...paragraphs
    )
  ]
})

/** What only the program has words for. */
export const inEnglish = (text: string | undefined): ReadonlyArray<Node> =>
  text === undefined
    ? []
    : [
        element(
          "details",
          {},
          element("summary", {}, words("inEnglish")),
          element("p", { lang: "en", class: "small" }, text)
        )
      ]
