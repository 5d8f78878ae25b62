/** Every check with its outcome and why, in groups; beneath each, what was compared and how to repeat it. */
import type { Check, CheckName, Report } from "@treemark/core/verify"
import { element } from "./Element.ts"
import { type Key, words } from "./Language.ts"
import { strange } from "./Say.ts"
import { GROUPS, groupOf, sentenceOf, titleOf } from "./Words.ts"

const MARKS: Readonly<Record<Check["outcome"], string>> = { pass: "✓", fail: "✕", skipped: "–" }
const SPOKEN: Readonly<Record<Check["outcome"], Key>> = { pass: "passed", fail: "failed", skipped: "skipped" }

/** `explained`: what stands under a check when its details are opened, beside the values compared. */
export const checksTable = (
  report: Report,
  explained: ReadonlyMap<CheckName, HTMLElement>
): ReadonlyArray<HTMLElement> =>
  GROUPS.map((group) =>
    element(
      "section",
      { class: "card group" },
      element("h3", {}, words(group)),
      element(
        "ul",
        { role: "list" },
        ...report.checks
          .filter(({ name }) => groupOf(name) === group)
          .map((check) => line(check, explained.get(check.name)))
      )
    )
  )

const line = (check: Check, explanation: HTMLElement | undefined): HTMLElement =>
  element(
    "li",
    { class: `check ${check.outcome}` },
    element("span", { class: "mark", "aria-hidden": "true" }, MARKS[check.outcome]),
    element(
      "div",
      {},
      element(
        "p",
        { class: "name" },
        words(titleOf(check.name)),
        element("span", { class: "outcome" }, words(SPOKEN[check.outcome]))
      ),
      element("p", {}, words(sentenceOf(check))),
      details(check, explanation)
    )
  )

const details = ({ actual, code, expected, name }: Check, explanation: HTMLElement | undefined): HTMLElement => {
  const isSame = expected !== null && expected === actual
  const compared = isSame ? rows(["both", expected]) : rows(["expected", expected], ["found", actual])
  return element(
    "details",
    {},
    element("summary", {}, words("details"), element("span", { class: "hidden" }, `: ${words(titleOf(name))}`)),
    compared,
    rows(["inReport", `${name}: ${code}`]),
    explanation
  )
}

const rows = (...all: ReadonlyArray<readonly [label: Key, value: string | null]>): HTMLElement | undefined => {
  const told = all.filter(([, value]) => value !== null)
  if (told.length === 0) return undefined
  return element(
    "dl",
    {},
    ...told.flatMap(([label, value]) => [element("dt", {}, words(label)), element("dd", {}, strange(value ?? ""))])
  )
}
