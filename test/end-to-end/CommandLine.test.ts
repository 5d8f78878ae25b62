/** The command line itself: help, completions, wrong command lines, and commands that open the store because no daemon runs. */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  describe as describeCommands,
  flat,
  optionsOf,
  SHARED_OPTIONS
} from "../../packages/daemon/src/cli/completion/Tree.ts"
import { allCommands } from "../../packages/daemon/src/cli/Program.ts"
import { parsed, temporaryHome, treemarkd } from "./Treemarkd.ts"

const COMMANDS = [
  "start",
  "status",
  "stop",
  "account create",
  "account list",
  "account show",
  "account credit",
  "account disable",
  "account enable",
  "account token create",
  "account token list",
  "account token revoke",
  "wallet show",
  "wallet backup",
  "wallet restore",
  "asset register",
  "asset list",
  "balance",
  "commit",
  "proof"
]

/** Command line → what the message names. All are wrong before anything is opened. */
const WRONG: ReadonlyArray<readonly [args: ReadonlyArray<string>, says: RegExp]> = [
  [[], /needs a subcommand/],
  [["account"], /account needs a subcommand/],
  [["acount"], /Did you mean this\?\s+account/],
  [["account", "create"], /--name/],
  [["account", "create", "--name="], /--name must be one line of 1 to 64 characters/],
  [["account", "create", "--name", "two\nlines"], /--name must be one line/],
  [["account", "create", "--name", "a", "--credits", "-1"], /--credits must be a decimal number of tokens/],
  [["account", "create", "--name", "a", "--credits", "0.0000000000000000001"], /at most 18 digits/],
  [["account", "show", ".."], /account must be one line/],
  [["account", "token", "create", "a", "--expires-in-days", "0"], /--expires-in-days/],
  [["balance", "0x12"], /wallet must be an Ethereum address/],
  [["proof", "../no/such/file"], /must be a CID, .*, or the path of a file that is there/],
  [["status", "--bogus"], /Unrecognized flag: --bogus/]
]

describe("the command line", () => {
  it.live("help names every command, the exit codes and an example, on standard output with exit code 0", () =>
    Effect.gen(function* () {
      const help = yield* treemarkd(["--help"], { home: tmpdir() })
      assert.strictEqual(help.code, 0)
      assert.strictEqual(help.stderr, "")
      assert.match(help.stdout, /0 done, 1 refused or failed, 64 wrong command line, 69 .* store cannot be used/)
      assert.match(help.stdout, /78 settings that cannot be used/)
      const groups = new Set(COMMANDS.map((command) => command.split(" ")[0] ?? ""))
      for (const group of groups) assert.match(help.stdout, new RegExp(`^  ${group} {2,}\\S`, "mu"))
      for (const command of COMMANDS) {
        const { code, stdout, stderr } = yield* parsed([...command.split(" "), "--help"])
        assert.deepStrictEqual([code, stderr], [0, ""], command)
        assert.match(stdout, new RegExp(`DESCRIPTION\\n {2}\\S[^]*USAGE\\n {2}treemarkd ${command}\\b`, "u"))
        assert.match(stdout, new RegExp(`EXAMPLES\\n {2}# \\S[^]*treemarkd ${command}\\b`, "u"), command)
      }
    })
  )

  it.live("every command has an example, whose command it is and whose options it has", () =>
    Effect.sync(() => {
      const commands = flat(describeCommands(allCommands())).filter(({ children }) => children.length === 0)
      assert.isAbove(commands.length, 30)
      for (const command of commands) {
        const { examples = [] } = command.help
        assert.isAbove(examples.length, 0, command.path)
        const known = new Set([...optionsOf(command), ...SHARED_OPTIONS].map(({ name }) => name))
        for (const example of examples) {
          assert.include(example.command, `treemarkd ${command.path}`)
          for (const [option] of example.command.matchAll(/(?<= )--[a-z0-9-]+/gu)) {
            assert.isTrue(known.has(option.replace("--no-", "--")), example.command)
          }
        }
      }
    })
  )

  it.live("completes commands, commands below them, and their options; the manual page has every command", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* parsed(["completion", "bash"])
      assert.strictEqual(code, 0)
      const complete = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
        const line = words.map((word) => `'${word}'`).join(" ")
        const script = `${stdout}\nCOMP_WORDS=(treemarkd ${line}); COMP_CWORD=${words.length}; _treemarkd; printf '%s\\n' "\${COMPREPLY[@]}"`
        return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n")
      }
      assert.deepStrictEqual(complete("acc"), ["account"])
      assert.deepStrictEqual(complete("account", "token", "re"), ["revoke"])
      assert.deepStrictEqual(complete("account", "create", "--cr"), ["--credits"])
      assert.includeMembers([...complete("add", "photo.jpg", "--")], ["--watch", "--limit", "--json"])
      const fish = yield* parsed(["completion", "fish"])
      assert.include(
        fish.stdout,
        "complete -c treemarkd -n '__fish_seen_subcommand_from account; and __fish_seen_subcommand_from create' -l credits"
      )
      assert.match((yield* parsed(["completion", "zsh"])).stdout, /^#compdef treemarkd\n/u)
      assert.strictEqual((yield* parsed(["completion", "csh"])).code, 64)
      const manual = (yield* parsed(["manual"])).stdout
      for (const { children, path } of flat(describeCommands(allCommands()))) {
        if (children.length === 0) assert.include(manual, `.SS treemarkd ${path.replaceAll("-", "\\-")}`)
      }
    })
  )

  it.live("a wrong command line ends with 64 and is told on standard error, and with --json as one JSON document", () =>
    Effect.gen(function* () {
      for (const [index, [args, says]] of WRONG.entries()) {
        const isReal = index === 0
        const run = (given: ReadonlyArray<string>) => (isReal ? treemarkd(given, { home: tmpdir() }) : parsed(given))
        const plain = yield* run(args)
        assert.deepStrictEqual([plain.code, plain.stdout], [64, ""], args.join(" "))
        assert.match(plain.stderr, says)
        assert.match(plain.stderr, /--help/)
        const told = yield* run([...args, "--json"])
        assert.strictEqual(told.code, 64, args.join(" "))
        assert.match(told.stderr, says)
        const { error } = told.json() as { readonly error: { readonly code: string; readonly message: string } }
        assert.strictEqual(error.code, "usage")
        assert.match(error.message, says)
      }
    })
  )

  it.live("bash completes commands and flags with what --completions bash prints", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const { code, stdout } = yield* treemarkd(["--completions", "bash"], { home })
      assert.strictEqual(code, 0)
      const script = join(home, "completions.bash")
      writeFileSync(script, stdout)
      const complete = (line: string) => {
        const words = line.split(" ")
        const program = `source ${script}
          COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}
          COMP_LINE="${line}"; COMP_POINT=${line.length}
          $(complete -p treemarkd | sed -E 's/.*-F ([^ ]+).*/\\1/') treemarkd "${words.at(-1)}" "${words.at(-2)}"
          printf '%s\\n' "\${COMPREPLY[@]}"`
        const { stdout: replies } = spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8" })
        return replies.split("\n").map((reply) => reply.trim())
      }
      assert.includeMembers(complete("treemarkd acc"), ["account"])
      assert.includeMembers(complete("treemarkd account create --cre"), ["--credits"])
    })
  )

  it.live("without a daemon, commands open the store themselves and say what a daemon would", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const created = yield* treemarkd(["account", "create", "--name", "studio", "--credits", "2.5", "--json"], {
        home
      })
      assert.strictEqual(created.code, 0, created.stderr)
      const { account, token } = created.json() as {
        readonly account: { readonly id: string; readonly name: string; readonly credits: string }
        readonly token: string
      }
      assert.strictEqual(account.credits, "2.5")
      assert.match(token, /^tmk_\w{49,}$/u)
      const taken = yield* treemarkd(["account", "create", "--name", "studio", "--json"], { home })
      assert.strictEqual(taken.code, 1)
      assert.deepStrictEqual(taken.json(), {
        error: { code: "account_name_taken", message: taken.stderr.trimEnd() }
      })
      const shown = yield* treemarkd(["account", "show", account.id], { home })
      assert.match(shown.stdout, /^credits {2}2\.5$/mu)
      const nobody = yield* treemarkd(["account", "show", "nobody"], { home })
      assert.strictEqual(nobody.code, 1)
      assert.strictEqual(nobody.stdout, "")
      assert.match(nobody.stderr, /There is no account "nobody"/)
      for (const command of ["status", "stop"]) {
        const { code, stderr, stdout } = yield* treemarkd([command], { home })
        assert.deepStrictEqual([code, stdout], [69, ""])
        assert.match(stderr, /No daemon runs on .* treemarkd start/)
      }
    })
  )
})
