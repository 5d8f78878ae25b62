/**
 * Completions as small files to source: the commands below each command, its options, and files for everything else. Written from the
 * tree of commands, so that they know what this version knows.
 */
import { type Described, type DescribedOption, firstLine, flat, nameOf, optionsOf, SHARED_OPTIONS } from "./Tree.ts"

export type Shell = "bash" | "zsh" | "fish"

export const completionFor = (shell: Shell, root: Described): string =>
  shell === "fish" ? fish(root) : shell === "zsh" ? `${ZSH}${bash(root)}` : bash(root)

/** zsh reads the completions of bash, and offers commands with nothing else to install. */
const ZSH =
  "#compdef treemarkd\nautoload -Uz +X compinit && compinit -u\nautoload -Uz +X bashcompinit && bashcompinit\n"

const bash = (root: Described): string => {
  const commands = flat(root)
  const groups = commands.filter(({ children }) => children.length > 0)
  const cases = commands.map((command) => {
    const words = command.children.length > 0 ? command.children.map(nameOf) : []
    return `    "${command.path}") words="${[...words, ...[...optionsOf(command), ...SHARED_OPTIONS].map(({ name }) => name)].join(" ")}" ;;`
  })
  return `# treemarkd: source <(treemarkd completion bash)
_treemarkd() {
  local at words path="" current="\${COMP_WORDS[COMP_CWORD]}"
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path|\${COMP_WORDS[at]}" in
${groups.map((group) => group.children.map((child) => `      "${group.path}|${nameOf(child)}") path="${child.path}" ;;`).join("\n")).join("\n")}
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _treemarkd treemarkd
`
}

const fish = (root: Described): string => {
  const lines = flat(root).flatMap((command) => {
    const words = command.path === "" ? [] : command.path.split(" ")
    const below = command.children.map(nameOf)
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`)
    const notBelow = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(" ")}`]
    const here = [...seen, ...notBelow].join("; and ")
    const only = here === "" ? "" : ` -n ${quoted(here)}`
    return [
      ...command.children.map(
        (child) => `complete -c treemarkd -f${only} -a ${nameOf(child)} -d ${quoted(firstLine(child.help.description))}`
      ),
      ...(command.path === "" ? SHARED_OPTIONS : optionsOf(command)).map((option) => fishOption(option, only))
    ]
  })
  return `# treemarkd: treemarkd completion fish | source\n${lines.join("\n")}\n`
}

const fishOption = ({ name, says }: DescribedOption, only: string): string =>
  `complete -c treemarkd${name === "--home" || name === "--json" || name === "--help" ? "" : only} -l ${name.slice(2)} -d ${quoted(says)}`

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
