/** The three answers as cards, each above the place where what it needs is given. */
import type { JsonObject, Report } from "@treemark/core/verify"
import { byId, element } from "./Element.ts"
import { words } from "./Language.ts"
import { paragraph, say } from "./Say.ts"
import { type Answer, fileAnswer, whenAnswer, whoAnswer } from "./ThreeAnswers.ts"

/** Puts the answers into their cards. Everything is made before anything is shown. */
export const drawAnswers = (report: Report, tree: JsonObject | undefined): (() => void) => {
  const drawn = (
    [
      ["give-asset", "answer-file", fileAnswer(report)],
      ["give-who", "answer-who", whoAnswer(report, tree)],
      ["give-when", "answer-when", whenAnswer(report)]
    ] as const
  ).map(([card, place, answer]) => ({ card, place, state: answer.state, content: nodes(answer) }))
  return () => {
    for (const { card, content, place, state } of drawn) {
      byId(card, HTMLElement).className = `card answer state-${state}`
      byId(place, HTMLElement).replaceChildren(...content)
    }
  }
}

const MARKS: Readonly<Record<Answer["state"], string>> = { yes: "✓", open: "?", warn: "!", no: "✕" }

const nodes = ({ means, next, says, state }: Answer): ReadonlyArray<Node> => [
  element(
    "p",
    { class: "says" },
    element("span", { class: "mark", "aria-hidden": "true" }, MARKS[state]),
    element("span", {}, ...say(says.key, says.values))
  ),
  element("h3", { class: "label" }, words("means")),
  ...means.map((one) => paragraph("", one)),
  element("h3", { class: "label" }, words("next")),
  paragraph("", next)
]
