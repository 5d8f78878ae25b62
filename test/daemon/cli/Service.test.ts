/** The texts that run the daemon as a service, as systemd and a reader of plists see them. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { launchdAgent, systemdUnit } from "../../../packages/daemon/src/cli/service/Units.ts"

const run = { node: process.execPath, script: "/opt/my tools/100%/$HOME/treemarkd.js", home: "/srv/my <data> & more" }
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0
const hasPython = spawnSync("python3", ["--version"]).status === 0

describe("the service", () => {
  it("starts again after failures alone, may write its data folder alone, and names odd paths safely", () => {
    const unit = systemdUnit(run)
    assert.include(unit, `"/opt/my tools/100%%/$$HOME/treemarkd.js" "start" "--home" "/srv/my <data> & more"`)
    assert.include(unit, "ReadWritePaths=/srv/my\\x20<data>\\x20&\\x20more\n")
    for (const line of ["Restart=on-failure", "NoNewPrivileges=yes", "ProtectSystem=strict", "UMask=0077"]) {
      assert.include(unit, `\n${line}\n`)
    }
  })

  it.runIf(hasSystemd)("is a unit that systemd-analyze verifies", () => {
    const folder = mkdtempSync(join(tmpdir(), "treemark-unit-"))
    const file = join(folder, "treemarkd.service")
    writeFileSync(file, systemdUnit(run))
    const { stderr } = spawnSync("systemd-analyze", ["--user", "verify", file], { encoding: "utf8" })
    rmSync(folder, { recursive: true })
    assert.notInclude(stderr, "treemarkd.service:")
  })

  it.runIf(hasPython)("is a plist whose words are the command line", () => {
    const script = "import plistlib,sys,json; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))"
    const agent = JSON.parse(execFileSync("python3", ["-c", script], { input: launchdAgent(run), encoding: "utf8" }))
    assert.deepStrictEqual(agent.ProgramArguments, [run.node, run.script, "start", "--home", run.home])
    assert.deepStrictEqual(agent.KeepAlive, { SuccessfulExit: false })
  })
})
