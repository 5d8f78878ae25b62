/** The tree of commands as plain data, with the options of each: what completions and the manual page are written from. */
import { Option } from "effect"
import type { Command, HelpDoc } from "effect/cli"

export interface Described {
  /** `account token list`; empty for the root. */
  readonly path: string
  readonly help: HelpDoc.HelpDoc
  readonly children: ReadonlyArray<Described>
}

/** What every command has of its own in the library, which its types leave out. */
interface WithHelp {
  readonly buildHelpDoc: (path: ReadonlyArray<string>) => HelpDoc.HelpDoc
}

export const describe = (command: Command.Command.Any, path: ReadonlyArray<string> = []): Described => ({
  path: path.join(" "),
  help: (command as unknown as WithHelp).buildHelpDoc(["treemarkd", ...path]),
  children: command.subcommands
    .flatMap(({ commands }) => commands)
    .filter(({ unlisted }) => !unlisted)
    .map((child) => describe(child, [...path, child.name]))
})

/** It and all below it. */
export const flat = (tree: Described): ReadonlyArray<Described> => [tree, ...tree.children.flatMap(flat)]

export const nameOf = ({ path }: Described): string => path.slice(path.lastIndexOf(" ") + 1)

/** The first line of what a text says. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

export interface DescribedOption {
  readonly name: string
  readonly says: string
}

/** Its own, without those of every command. */
export const optionsOf = ({ help }: Described): ReadonlyArray<DescribedOption> =>
  help.flags.map(({ description, name }) => ({
    name: `--${name}`,
    says: firstLine(typeof description === "string" ? description : Option.getOrElse(description, () => ""))
  }))

/** Of every command. */
export const SHARED_OPTIONS: ReadonlyArray<DescribedOption> = [
  { name: "--home", says: "Data folder" },
  { name: "--json", says: "Print one JSON document" },
  { name: "--help", says: "Show help" }
]
