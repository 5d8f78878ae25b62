/**
 * Compiles CommitLedger.sol with solc-js to the artifact beside it; run this file to write CommitLedger.json anew.
 * The settings are part of the artifact: cancun is the newest fork every target chain runs, and without a metadata
 * hash the same source gives the same bytes everywhere. The bytecode also stands in src/evm/CommitContract.ts.
 */
import { readFileSync, writeFileSync } from "node:fs"
import solc from "solc"

const SETTINGS = {
  optimizer: { enabled: true, runs: 10_000 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none" }
} as const

/** What CommitLedger.json holds; both bytecodes are `0x` hex. */
export interface Artifact {
  readonly contractName: string
  readonly compiler: { readonly name: string; readonly version: string; readonly settings: typeof SETTINGS }
  readonly abi: ReadonlyArray<unknown>
  readonly bytecode: string
  readonly deployedBytecode: string
}

interface SolcOutput {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: {
    readonly "CommitLedger.sol": {
      readonly CommitLedger: {
        readonly abi: ReadonlyArray<unknown>
        readonly evm: {
          readonly bytecode: { readonly object: string }
          readonly deployedBytecode: { readonly object: string }
        }
      }
    }
  }
}

/** Compiles the source; throws with solc's own text on any error or warning. */
export const compile = (): Artifact => {
  const content = readFileSync(new URL("./CommitLedger.sol", import.meta.url), "utf8")
  const input = {
    language: "Solidity",
    sources: { "CommitLedger.sol": { content } },
    settings: {
      ...SETTINGS,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } }
    }
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  if (output.errors !== undefined && output.errors.length > 0) {
    throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"))
  }
  const { abi, evm } = output.contracts["CommitLedger.sol"].CommitLedger
  return {
    contractName: "CommitLedger",
    compiler: { name: "solc-js", version: solc.version(), settings: SETTINGS },
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`
  }
}

/** The artifact as the file keeps it. */
export const artifactText = (artifact: Artifact): string => `${JSON.stringify(artifact, null, 2)}\n`

if (import.meta.main) {
  writeFileSync(new URL("./CommitLedger.json", import.meta.url), artifactText(compile()))
}
