/** The compiled contract in the repository is what its source compiles to, byte for byte; solc-js runs offline. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { toEventSelector, toFunctionSelector } from "viem"
import { type Artifact, artifactText, compile } from "../../packages/daemon/contract/compile.ts"
import { commitAbi, commitBytecode, commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"

const kept = readFileSync(new URL("../../packages/daemon/contract/CommitLedger.json", import.meta.url), "utf8")

/** ABI entries without regard to the order of entries and members. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)])
  )
}

describe("the commit contract", () => {
  it("compiles from its source to the kept artifact, byte for byte", () => {
    assert.strictEqual(artifactText(compile()), kept)
  })

  it("has in CommitContract.ts the ABI and the bytecodes of the artifact", () => {
    const artifact = JSON.parse(kept) as Artifact
    assert.strictEqual(commitBytecode, artifact.bytecode)
    assert.strictEqual(commitDeployedBytecode, artifact.deployedBytecode)
    assert.deepStrictEqual(canonical(commitAbi), canonical(artifact.abi))
  })

  it("answers to the selectors of ERC-7053, as the deployed contracts do", () => {
    assert.strictEqual(toFunctionSelector(commitAbi[1]), toFunctionSelector("commit(string,string)"))
    assert.strictEqual(toEventSelector(commitAbi[0]), toEventSelector("Commit(address,string,string)"))
  })
})
