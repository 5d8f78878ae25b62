/** The manual page treemarkd(1) in the language of man(7): what --help says of every command, in one page. */
import { Option } from "effect"
import { type Described, firstLine, flat } from "./Tree.ts"

export const manualOf = (root: Described, version: string): string =>
  [
    `.TH TREEMARKD 1 "" "treemark ${plain(version)}" "Treemark"`,
    ".SH NAME",
    `treemarkd \\- ${plain(firstLine(root.help.description).replace(/^Treemark: /u, ""))}`,
    ".SH SYNOPSIS",
    ".B treemarkd",
    "COMMAND [OPTION]...",
    ".SH DESCRIPTION",
    ...paragraphs(root.help.description),
    ".SH COMMANDS",
    ...flat(root)
      .filter(({ children, path }) => path !== "" && children.length === 0)
      .flatMap(sectionOf),
    ".SH OPTIONS OF EVERY COMMAND",
    ...optionLines(root),
    ""
  ].join("\n")

const sectionOf = (command: Described): ReadonlyArray<string> => {
  const { args = [], description, examples = [] } = command.help
  const words = args.map(({ name, required, variadic }) => {
    const word = `${name.toUpperCase()}${variadic ? "..." : ""}`
    return required ? word : `[${word}]`
  })
  return [
    `.SS ${plain(["treemarkd", command.path, ...words].join(" "))}`,
    ...paragraphs(description),
    ...optionLines(command),
    ...examples.flatMap((example) => [
      ".PP",
      `${plain(example.description ?? "")}:`,
      ".EX",
      plain(example.command),
      ".EE"
    ])
  ]
}

const optionLines = ({ help }: Described): ReadonlyArray<string> =>
  help.flags.flatMap(({ description, name, type }) => [
    ".TP",
    `.B ${plain(`--${name}`)}${type === "boolean" ? "" : ` ${plain(type)}`}`,
    plain(Option.getOrElse(description, () => ""))
  ])

const paragraphs = (text: string): ReadonlyArray<string> =>
  text
    .split("\n\n")
    .flatMap((part, at) => [...(at === 0 ? [] : [".PP"]), ...part.split("\n").map((line) => plain(line.trim()))])

/** A backslash, a hyphen and what begins with a full stop or a quote mean something to man. */
const plain = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/u, "\\&")
