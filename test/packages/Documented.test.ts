/** What programs import says what it is, where editors show it: every name that plain, client, verify and the daemon export has a docstring. */
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const PACKAGES = resolve(import.meta.dirname, "../../packages")
const ENTRIES = ["core/src/plain.ts", "core/src/client.ts", "verify/src/index.ts", "daemon/src/index.ts"]
const OF_CORE = join(PACKAGES, "core/src/verify.ts")

const FROM = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gmu
const OWN = /^export (?:abstract )?(?:async )?(?:const|class|interface|type|function\*?) (\w+)/gmu

/** The names that a file exports, each with the text before its definition, wherever that is. */
const exported = (file: string): ReadonlyMap<string, string> => {
  const text = readFileSync(file, "utf8")
  const found = new Map([...text.matchAll(OWN)].map((match) => [match[1] ?? "", text.slice(0, match.index)] as const))
  for (const [, names = "", from = ""] of text.matchAll(FROM)) {
    const there = exported(from.startsWith(".") ? join(dirname(file), from) : OF_CORE)
    for (const name of names.split(",")) {
      const [inner = "", outer = inner] = name
        .trim()
        .replace(/^type /u, "")
        .split(" as ")
      if (inner !== "") found.set(outer, there.get(inner) ?? "")
    }
  }
  return found
}

/** A docstring ends on the line before; that of the file does not count. */
const isDocumented = (before: string): boolean => before.endsWith("*/\n") && before.lastIndexOf("/**") > 0

describe("what the packages export", () => {
  for (const entry of ENTRIES) {
    it(`${entry} says of each name what it is`, () => {
      const names = exported(join(PACKAGES, entry))
      assert.isAbove(names.size, 1)
      const silent = [...names].flatMap(([name, before]) => (isDocumented(before) ? [] : [name]))
      assert.deepStrictEqual(silent, [])
    })
  }
})
