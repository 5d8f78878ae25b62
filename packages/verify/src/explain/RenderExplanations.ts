/**
 * Explanations for a terminal of 80 columns: each check with what it does, the bytes it hashes, what came of it, how to do it by hand, and the
 * mistake that would explain a failure. Every text goes through `printable`; a command is broken only between its steps, so it can be pasted.
 */
import type { BytesExcerpt, ExplainedCommand, Explanation, HashedBytes } from "@treemark/core/verify"
import { printable } from "../Printable.ts"
import { wrapped } from "../Wrapped.ts"

type Paint = (text: string) => string

const ansi =
  (code: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`
const plain: Paint = (text) => text

interface Paints {
  readonly pass: Paint
  readonly fail: Paint
  readonly skipped: Paint
  readonly strong: Paint
  readonly faint: Paint
  readonly hint: Paint
}

const paintsOf = (isOn: boolean): Paints =>
  isOn
    ? { pass: ansi(32), fail: ansi(31), skipped: ansi(2), strong: ansi(1), faint: ansi(2), hint: ansi(33) }
    : { pass: plain, fail: plain, skipped: plain, strong: plain, faint: plain, hint: plain }

const WIDTH = 80
const MARKS = { pass: "✓", fail: "✗", skipped: "–" } as const
const INDENT = "  "
/** Longer values of strangers are cut; commands never are, for then they would not run. */
const LONGEST_VALUE = 400

/** The whole text, ending in a line break. */
export const renderExplanations = (
  explanations: ReadonlyArray<Explanation>,
  options: { readonly colour: boolean }
): string => {
  const paint = paintsOf(options.colour)
  const hints = explanations.filter(({ nearMiss }) => nearMiss !== null).length
  const parts = explanations.map((one) => `${explanation(one, paint).join("\n")}\n`)
  return [head(explanations, hints, paint), ...parts].join("\n")
}

const head = (explanations: ReadonlyArray<Explanation>, hints: number, paint: Paints): string => {
  const needsNode = explanations.some(({ commands }) => commands.some((one) => one.needsNode))
  const lines = wrapped(
    `How each check was made. A line after $ is a command that does the same; => says what it prints.${
      needsNode ? " Commands marked (node) ask a node of the ledger: set RPC_URL to its address first." : ""
    }${hints === 0 ? "" : ` Look for ${hints === 1 ? "the hint" : `the ${hints} hints`} below.`}`,
    WIDTH
  )
  return `${paint.strong("Explained")}\n${lines.join("\n")}\n`
}

const explanation = (one: Explanation, paint: Paints): ReadonlyArray<string> => {
  const code = one.code === "ok" ? "" : ` ${paint.faint(`[${one.code}]`)}`
  const title = `${paint[one.outcome](`${MARKS[one.outcome]} ${one.check}`)}${code}`
  const said = (text: string) => wrapped(printable(text, 4000), WIDTH - INDENT.length).map((line) => `${INDENT}${line}`)
  if (one.outcome === "skipped" && one.commands.length === 0 && one.nearMiss === null) {
    return [title, ...said(one.summary).map(paint.faint)]
  }
  return [
    title,
    ...said(one.summary).map(paint.strong),
    ...one.paragraphs.flatMap(said),
    ...one.hashed.flatMap((bytes) => hashed(bytes, paint)),
    ...values(one, paint),
    ...one.commands.flatMap((command) => commandLines(command, paint)),
    ...(one.nearMiss === null ? [] : ["", ...hint(one.nearMiss.advice, paint)])
  ]
}

const hashed = ({ first, hash, label, last, length }: HashedBytes, paint: Paints): ReadonlyArray<string> => [
  `${INDENT}${paint.faint(`${hash} over ${label}, ${length} bytes:`)}`,
  dump(first),
  ...(last === null ? [] : [...(length > 32 ? [`${INDENT}${INDENT}...`] : []), dump(last)])
]

const dump = ({ hex, text }: BytesExcerpt): string =>
  `${INDENT}${INDENT}${(hex.match(/../g) ?? []).join(" ").padEnd(16 * 3)} ${text}`

/** Inputs, then what was expected and found, where that is not one of them already. */
const values = ({ actual, expected, inputs }: Explanation, paint: Paints): ReadonlyArray<string> => {
  const shown = new Set(inputs.map(({ value }) => value))
  const compared = [
    ["expected", shown.has(expected ?? "") ? null : expected] as const,
    ["actual", actual !== null && actual === expected ? "the same" : shown.has(actual ?? "") ? null : actual] as const
  ]
  return [...inputs.map(({ label, value }) => [label, value] as const), ...compared].flatMap(([label, value]) =>
    value === null ? [] : row(label, printable(value, LONGEST_VALUE), paint)
  )
}

const row = (label: string, value: string, paint: Paints): ReadonlyArray<string> => {
  const line = `${label}: ${value}`
  if (INDENT.length + line.length <= WIDTH) return [`${INDENT}${paint.faint(`${label}:`)} ${value}`]
  return [
    `${INDENT}${paint.faint(`${label}:`)}`,
    ...wrapped(value, WIDTH - 4).map((part) => `${INDENT}${INDENT}${part}`)
  ]
}

const commandLines = (command: ExplainedCommand, paint: Paints): ReadonlyArray<string> => {
  const note = command.note === null ? "" : ` (${command.note})`
  const prints = command.prints === null ? note.trim() : `${printable(command.prints, LONGEST_VALUE)}${note}`
  return [
    "",
    ...(command.needsNode ? [`${INDENT}${paint.faint("(node)")}`] : []),
    ...brokenLine(command).map((line, at) => `${INDENT}${at === 0 ? "$ " : "    "}${line}`),
    ...(prints === ""
      ? []
      : wrapped(prints, WIDTH - 5).map((line, at) => `${INDENT}${paint.faint(`${at === 0 ? "=>" : "  "} ${line}`)}`))
  ]
}

/** Broken behind a pipe, or with a backslash before an argument, where a shell allows it; never within a file's name. */
const brokenLine = ({ steps, tool }: ExplainedCommand): ReadonlyArray<string> => {
  const pieces = steps.flatMap((step, at) => {
    const isBroken = step.length + 6 > WIDTH && (tool === "cast" || !step.includes("'"))
    const words = printable(step, Number.POSITIVE_INFINITY).split(isBroken ? ARGUMENT : NEVER)
    return words.map((text, place) => ({
      text,
      end: place < words.length - 1 ? " \\" : at < steps.length - 1 ? " |" : ""
    }))
  })
  const lines: Array<{ text: string; end: string }> = []
  for (const { text, end } of pieces) {
    const last = lines.at(-1)
    const joined = last === undefined ? text : `${last.text}${last.end === " |" ? " |" : ""} ${text}`
    if (last === undefined || joined.length + end.length + 6 > WIDTH) lines.push({ text, end })
    else lines[lines.length - 1] = { text: joined, end }
  }
  return lines.map(({ end, text }) => `${text}${end}`)
}

/** Before an option or a value in hexadecimal; quoted arguments hold neither. */
const ARGUMENT = / (?=--|0x|'Commit|[0-9a-f]{64})/
const NEVER = /(?!)/

const hint = (advice: string, paint: Paints): ReadonlyArray<string> => {
  const label = "hint: "
  return wrapped(printable(advice, 4000), WIDTH - INDENT.length - label.length).map(
    (line) => `${INDENT}${paint.hint(label)}${line}`
  )
}
