/**
 * What stands on the page at a time: the start, something being read, a result, a history, or a problem. Everything new is made whole before it is
 * put in, and what stood there before was taken away first; so half of one result never stands beside half of another.
 */
import { explain, type Report, verify } from "@treemark/core/verify"
import { drawAnswers } from "./AnswerCards.ts"
import { checksTable } from "./ChecksTable.ts"
import { byId, element } from "./Element.ts"
import { inputOf, type Subject, type Trust, treeOf } from "./Evidence.ts"
import { explained } from "./Explained.ts"
import { findings } from "./Findings.ts"
import { type Key, words } from "./Language.ts"
import { writtenText } from "./Preview.ts"
import { paragraph, say } from "./Say.ts"
import type { Problem } from "./Sorting.ts"
import type { Entry, ToldStory } from "./Story.ts"
import { storyCard, timeline } from "./StoryView.ts"
import { summaryOf } from "./Summary.ts"
import { crashCard, type DrawnCard, inEnglish, problemCard, verdictCard } from "./VerdictCard.ts"

const section = (id: string): HTMLElement => byId(id, HTMLElement)

const RESULTS = ["notice", "verdict", "answers", "history", "result", "keep", "reading"]

export class Screen {
  private saved: string | undefined

  /** Takes every result away: what was shown says nothing of what comes now. */
  takeAway(): void {
    for (const id of RESULTS) section(id).hidden = true
    for (const id of ["notice", "verdict", "entries", "facts", "checks", "tree"]) section(id).replaceChildren()
    for (const id of ["answer-file", "answer-who", "answer-when", "checked-at", "announce"])
      section(id).replaceChildren()
    delete document.body.dataset.tone
    section("verdict").className = "card verdict"
    section("give-proof").hidden = true
  }

  /** Says what is being read. */
  reading(names: ReadonlyArray<string>): void {
    section("reading-file").replaceChildren(...say("reading", { file: names }))
    section("announce").replaceChildren(...say("reading", { file: names }))
    section("reading-count").hidden = true
    section("reading").hidden = false
  }

  counted(done: number, all: number): void {
    const count = section("reading-count")
    count.replaceChildren(...say("readHistory", { done: String(done), all: String(all) }))
    count.hidden = false
  }

  start(problem: Problem | undefined): void {
    const drawn = problem === undefined ? undefined : problemCard(problem)
    this.done()
    section("give-proof").hidden = false
    if (drawn !== undefined) this.card(drawn)
  }

  /** As {@link start}, after something failed that nobody foresaw. */
  crashed(names: ReadonlyArray<string>): void {
    const drawn = crashCard(names)
    this.done()
    section("give-proof").hidden = false
    this.card(drawn)
  }

  /** The result for one proof. `hasStory`: it was opened from a history. */
  result(subject: Subject, trust: Trust, problem: Problem | undefined, hasStory: boolean): void {
    const input = inputOf(subject, trust)
    const report = verify(input)
    const tree = treeOf(subject)
    const isSigned = report.provenance.assetTreeSha256 === "signed"
    const drawn = {
      notice: problem === undefined ? undefined : noticeNodes(problem, subject.name),
      card: verdictCard(report, summaryOf(report), { proof: subject.name, asset: subject.asset?.name }),
      answers: drawAnswers(report, tree),
      facts: findings(report, tree),
      checks: checksTable(report, explained(explain(input, report))),
      tree: writtenText(new TextDecoder().decode(subject.proof.treeBytes), words("treeLabel"))
    }
    this.done()
    if (drawn.notice !== undefined) this.notice(drawn.notice)
    drawn.answers()
    section("facts").replaceChildren(...drawn.facts)
    section("checks-count").replaceChildren(...counts(report))
    section("checks").replaceChildren(...drawn.checks)
    section("tree-title").replaceChildren(words(isSigned ? "treeSigned" : "treeHere"))
    section("tree").replaceChildren(drawn.tree)
    this.keep(subject, hasStory)
    for (const id of ["answers", "result", "keep"]) section(id).hidden = false
    document.body.dataset.tone = summaryOf(report).tone
    this.checked()
    this.card(drawn.card)
  }

  story(story: ToldStory, problem: Problem | undefined, open: (entry: Entry) => void): void {
    const drawn = {
      card: storyCard(story),
      entries: timeline(story, open),
      notice: problem === undefined ? undefined : noticeNodes(problem, undefined)
    }
    this.done()
    if (drawn.notice !== undefined) this.notice(drawn.notice)
    section("entries").replaceChildren(...drawn.entries)
    this.keep(undefined, false)
    for (const id of ["history", "keep"]) section(id).hidden = false
    this.checked()
    this.card(drawn.card)
  }

  private done(): void {
    section("reading").hidden = true
  }

  private notice(nodes: ReadonlyArray<Node>): void {
    section("notice").replaceChildren(...nodes)
    section("notice").hidden = false
  }

  private card({ className, content }: DrawnCard): void {
    const verdict = section("verdict")
    verdict.replaceChildren(...content)
    verdict.className = className
    verdict.hidden = false
  }

  /** When and by which version this was checked; a print says it, too. */
  private checked(): void {
    const { version = "" } = document.documentElement.dataset
    const values = { time: { time: new Date().toISOString() }, version }
    section("checked-at").replaceChildren(...say("checkedAt", values))
  }

  private keep(subject: Subject | undefined, hasStory: boolean): void {
    const save = byId("save", HTMLAnchorElement)
    if (this.saved !== undefined) URL.revokeObjectURL(this.saved)
    this.saved = undefined
    save.hidden = subject === undefined
    section("back").hidden = !hasStory
    if (subject === undefined) return
    this.saved = URL.createObjectURL(new Blob([subject.bytes.slice()], { type: "application/octet-stream" }))
    save.href = this.saved
    save.download = /^[\w.-]{1,120}\.json$/.test(subject.name) ? subject.name : "proof.json"
  }
}

/** What could not be used, beside a result that still stands. */
const noticeNodes = ({ english, headline, sentences }: Problem, proof: string | undefined): ReadonlyArray<Node> => [
  element("h2", {}, words(headline)),
  ...sentences.map((sentence) => paragraph("", sentence)),
  ...(proof === undefined ? [] : [paragraph("", { key: "stillShown" satisfies Key, values: { proof } })]),
  ...inEnglish(english)
]

const counts = ({ checks }: Report): ReadonlyArray<Node | string> => {
  const count = (outcome: string) => String(checks.filter((check) => check.outcome === outcome).length)
  return say("counts", { pass: count("pass"), fail: count("fail"), skipped: count("skipped") })
}
