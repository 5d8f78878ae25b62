/** Every check with its outcome and why, in groups; beneath each, what was compared and how to repeat it. */
import type { Check, CheckName, Report } from "@treemark/core/verify"
import { element, strange } from "./Element.ts"
import { GROUPS, sentenceOf, titleOf } from "./Words.ts"

const MARKS: Readonly<Record<Check["outcome"], string>> = { pass: "✓", fail: "✕", skipped: "–" }
const SPOKEN: Readonly<Record<Check["outcome"], string>> = { pass: "Passed", fail: "Failed", skipped: "Not checked" }

/** `explained`: what stands under a check when its details are opened, beside the values compared. */
export const checksTable = (
  report: Report,
  explained: ReadonlyMap<CheckName, HTMLElement>
): ReadonlyArray<HTMLElement> =>
  GROUPS.map(({ title, checks }) =>
    element(
      "section",
      { class: "card group" },
      element("h3", {}, title),
      element(
        "ul",
        { role: "list" },
        ...report.checks
          .filter(({ name }) => checks.includes(name))
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
        titleOf(check.name),
        element("span", { class: "outcome" }, SPOKEN[check.outcome])
      ),
      element("p", {}, sentenceOf(check)),
      details(check, explanation)
    )
  )

const details = ({ actual, code, expected, name }: Check, explanation: HTMLElement | undefined): HTMLElement => {
  const isSame = expected !== null && expected === actual
  const compared = isSame ? rows(["Expected and found", expected]) : rows(["Expected", expected], ["Found", actual])
  const label = explanation === undefined ? "Details" : "Show me how"
  return element(
    "details",
    {},
    element("summary", {}, label, element("span", { class: "hidden" }, `: ${titleOf(name)}`)),
    compared,
    explanation,
    rows(["In the report of the command line", `${name}: ${code}`])
  )
}

const rows = (...all: ReadonlyArray<readonly [label: string, value: string | null]>): HTMLElement | undefined => {
  const told = all.filter(([, value]) => value !== null)
  if (told.length === 0) return undefined
  return element(
    "dl",
    {},
    ...told.flatMap(([label, value]) => [element("dt", {}, label), element("dd", {}, strange(value ?? ""))])
  )
}
