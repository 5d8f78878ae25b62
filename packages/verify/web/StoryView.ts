/** A history as a timeline: who, which act, what changed, and the letter of each entry; each entry opens its proof. */
import type { JsonObject } from "@treemark/core/verify"
import { element } from "./Element.ts"
import { badge } from "./Findings.ts"
import { type Key, words } from "./Language.ts"
import { moment, paragraph, type Sentence, say, strange } from "./Say.ts"
import type { Entry, ToldStory } from "./Story.ts"
import { card, type DrawnCard } from "./VerdictCard.ts"
import { HISTORY_KEYS, meaningOf, reasonsOf } from "./Words.ts"

type Letter = Entry["finding"]["status"]

const LETTERS: Readonly<Record<Letter, Key>> = {
  G: "letterG",
  R: "letterR",
  U: "letterU",
  B: "letterB",
  N: "letterN"
}

/** The card that stands above the timeline. A history is never the colour of full success: whose the file is, it does not tell. */
export const storyCard = ({ assetCid, chainId, recorders, strays, summary }: ToldStory): DrawnCard => {
  const { breaksAt, verdict } = summary
  const [tone, mark, word, headline] = HEADS[verdict]
  const sentences: ReadonlyArray<Sentence> = [
    ...(assetCid === undefined ? [] : [asset(assetCid, chainId)]),
    ...(breaksAt === null ? [] : [{ key: "historyBreaks", values: { number: String(breaksAt) } } as const]),
    ...(recorders.from === "named" || recorders.trusted.length === 0
      ? []
      : [{ key: "historyFirstRecorder", values: { wallet: recorders.trusted } } as const]),
    { key: "historyFull" }
  ]
  return card({
    tone: `tone-${tone} story ${verdict}`,
    mark,
    word,
    headline: { key: headline },
    paragraphs: [
      ...sentences.map((sentence) => paragraph("", sentence)),
      ...(strays.length === 0 ? [] : [element("h3", {}, words("historyStrays"))]),
      ...strays.map(({ at, code }) => element("p", {}, words(HISTORY_KEYS[code]), " ", strange(at, 200)))
    ]
  })
}

const asset = (assetCid: string, chainId: number | undefined): Sentence => ({
  key: "historyAsset",
  values: { asset: assetCid, chain: String(chainId) }
})

const HEADS = {
  valid: ["open", "✓", "historyTitle", "historyGood"],
  unconfirmed: ["amber", "!", "historyTitle", "historyOpen"],
  invalid: ["bad", "✕", "historyTitle", "historyBad"]
} as const satisfies Record<string, readonly [string, string, Key, Key]>

/** The entries, oldest first. `open` is called with the one whose proof the person wants to see. */
export const timeline = ({ entries }: ToldStory, open: (entry: Entry) => void): ReadonlyArray<HTMLElement> =>
  entries.map((entry, at) => line(entry, entries[at - 1]?.tree, at === 0, open))

const line = (
  entry: Entry,
  before: JsonObject | undefined,
  isFirst: boolean,
  open: (entry: Entry) => void
): HTMLElement => {
  const { number, problems, report, status } = entry.finding
  const reasons = report === null || report.verdict === "valid" ? [] : reasonsOf(report.checks, report.verdict)
  return element(
    "li",
    { class: `card entry letter-${status}` },
    element(
      "h3",
      {},
      element("span", { class: "letter" }, status),
      " ",
      ...say("entryLabel", { number: String(number) }),
      ...(report?.time == null ? [] : [" · ", moment(report.time), " ", badge(report.provenance.time ?? "claimed")])
    ),
    element("p", { class: "soft" }, words(LETTERS[status])),
    ...who(entry).map((sentence) => paragraph("", sentence)),
    ...problems.map(({ code }) => element("p", { class: "advice" }, words(HISTORY_KEYS[code]))),
    ...reasons.slice(0, 1).map((code) => element("p", { class: "advice" }, words(meaningOf(code)))),
    ...changed(entry.tree, before, isFirst),
    ...(entry.subject === undefined ? [] : [opener(entry, open)])
  )
}

const opener = (entry: Entry, open: (entry: Entry) => void): HTMLElement => {
  const button = element("button", { type: "button" }, words("entryOpen"))
  button.addEventListener("click", () => open(entry))
  return button
}

const who = ({ finding: { act, recorder, report } }: Entry): ReadonlyArray<Sentence> => {
  if (report === null) return []
  const { signer, signerName } = report
  const action = act?.actionName ?? act?.action ?? undefined
  return [
    ...(signer === null
      ? []
      : [
          signerName === null
            ? ({ key: "entrySigned", values: { signer } } as const)
            : ({ key: "entryNamed", values: { name: signerName } } as const)
        ]),
    ...(action === undefined
      ? []
      : [
          act?.by === "author"
            ? ({ key: "entryActAuthor", values: { action } } as const)
            : ({ key: "entryAct", values: { action, wallet: act?.recorder ?? recorder } } as const)
        ]),
    ...(act?.message == null || act.message === `Action ${act.actionName}.`
      ? []
      : [{ key: "entryMessage", values: { message: act.message } } as const])
  ]
}

/** The members of the tree that are not what they were in the entry before. */
const changed = (
  tree: JsonObject | undefined,
  before: JsonObject | undefined,
  isFirst: boolean
): ReadonlyArray<HTMLElement> => {
  if (isFirst) return [element("p", { class: "soft" }, words("entryFirst"))]
  if (tree === undefined || before === undefined) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(tree)])]
  const changes = names
    .map((name) => ({ name, was: written(before, name), is: written(tree, name) }))
    .filter(({ is, was }) => is !== was)
  if (changes.length === 0) return [element("p", { class: "soft" }, words("entrySame"))]
  return [
    element(
      "dl",
      {},
      ...changes
        .slice(0, MOST_CHANGES)
        .flatMap(({ is, name, was }) => [
          element("dt", {}, words("entryChanged"), ": ", strange(name, 60)),
          element(
            "dd",
            {},
            element("span", { class: "was" }, ...say("entryFrom", { before: was })),
            element("span", { class: "is" }, ...say("entryTo", { after: is }))
          )
        ])
    )
  ]
}

/** Whoever changes more than this is better read in the proof itself. */
const MOST_CHANGES = 30

const written = (tree: JsonObject, name: string): string => {
  const value = Object.hasOwn(tree, name) ? tree[name] : undefined
  return value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value)
}
