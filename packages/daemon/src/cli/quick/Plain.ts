/** Command lines of the quick commands: words, and the few options they have. */

export interface Plain {
  /** Arguments that are no options. */
  readonly words: ReadonlyArray<string>
  readonly options: ReadonlyMap<string, string>
  readonly json: boolean
}

/** Options that take a value, of any quick command. */
const VALUED = new Set(["--home", "--limit", "--network"])

/** Undefined for a command line that has anything else in it. */
export const plainOf = (args: ReadonlyArray<string>): Plain | undefined => {
  const words: Array<string> = []
  const options = new Map<string, string>()
  let json = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--json") json = true
    else if (VALUED.has(arg)) {
      const value = args[++at]
      if (value === undefined || value.startsWith("-") || options.has(arg)) return undefined
      options.set(arg, value)
    } else if (arg.startsWith("-")) return undefined
    else words.push(arg)
  }
  return { words, options, json }
}
