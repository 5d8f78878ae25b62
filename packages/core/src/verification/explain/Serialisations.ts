/**
 * The ways in which a tree's bytes are changed by accident: written again by another program, with other line ends, by an editor that adds a
 * newline, by a system that adds a byte order mark. Each comes with the words for it; those that change nothing are left out.
 */
import { dagJsonText } from "../../json/CanonicalJson.ts"
import { utf8Text } from "../../json/Utf8.ts"
import type { Evidence } from "../Evidence.ts"

export interface Variant {
  readonly of:
    | "newline_added"
    | "newline_lost"
    | "bom_added"
    | "bom_lost"
    | "line_ends"
    | "pretty_json"
    | "canonical_json"
  /** What these bytes are, after "the tree". */
  readonly words: string
  readonly bytes: Uint8Array
}

const BOM = "\ufeff"

/** Every variant of the evidence's tree, the most usual first; none when the tree is not text. */
export const variantsOf = ({ input, tree }: Evidence): ReadonlyArray<Variant> => {
  const text = input.tree === undefined ? undefined : utf8Text(input.tree)
  if (text === undefined || tree === undefined || tree.problem?.code === "tree_too_large") return []
  const { members } = tree
  const written = (write: (value: NonNullable<typeof members>) => string) =>
    members === undefined ? undefined : attempt(() => write(members))
  const pretty = written((value) => JSON.stringify(value, null, 2))
  const candidates: ReadonlyArray<readonly [of: Variant["of"], words: string, text: string | undefined]> = [
    ["newline_lost", "without the newline at its end", text.replace(/\r?\n$/, "")],
    ["newline_added", "with a newline at its end", `${text}\n`],
    ["line_ends", "with the line ends of Unix (LF)", text.replaceAll("\r\n", "\n")],
    ["line_ends", "with the line ends of Windows (CRLF)", text.replaceAll(/\r?\n/g, "\r\n")],
    ["pretty_json", "written with two spaces of indentation", pretty],
    ["pretty_json", "written with two spaces of indentation and a newline", pretty && `${pretty}\n`],
    ["canonical_json", "written as canonical JSON (sorted keys, no spaces)", written(dagJsonText)],
    ["canonical_json", "written without spaces, keys in their order", written((value) => JSON.stringify(value))],
    ["bom_lost", "without its byte order mark", text.startsWith(BOM) ? text.slice(1) : undefined],
    ["bom_added", "with a byte order mark (EF BB BF) before it", `${BOM}${text}`]
  ]
  const met = new Set([text])
  return candidates.flatMap(([of, words, changed]) => {
    if (changed === undefined || met.has(changed)) return []
    met.add(changed)
    return [{ of, words, bytes: new TextEncoder().encode(changed) }]
  })
}

const attempt = <A>(act: () => A): A | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}
