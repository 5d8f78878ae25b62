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

const details = (check: Check, explanation: HTMLElement | undefined): HTMLElement => {
  const compared = element("dl", {})
  const add = (label: string, value: string | null) => {
    if (value !== null) compared.append(element("dt", {}, label), element("dd", {}, strange(value)))
  }
  add("Check", check.name)
  add("Code", check.code)
  add("Expected", check.expected)
  add("Found", check.actual)
  const label = explanation === undefined ? "Details" : "Show me how"
  return element(
    "details",
    {},
    element("summary", {}, label, element("span", { class: "hidden" }, `: ${titleOf(check.name)}`)),
    compared,
    explanation
  )
}
