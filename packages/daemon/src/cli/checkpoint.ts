/** `treemarkd checkpoint export`: the block hashes that turn a proof of inclusion into a proof of being on the ledger. */
import { Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { unwritable } from "./Failures.ts"
import { print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const exportCommand = Command.make(
  "export",
  {
    network: Flag.Literals("network", ["mainnet", "testnet"]).pipe(
      Flag.withDescription("Whose blocks (default: mainnet)"),
      Flag.withDefault("mainnet")
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription("File to write (default: standard output)"),
      Flag.withMetavar("FILE"),
      Flag.optional
    )
  },
  ({ network, out }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const { blocks, chainId, checkpoint } = yield* client.operations.checkpoint({ params: { network } })
        if (Option.isNone(out)) return yield* Console.log(checkpoint.trimEnd())
        const files = yield* FileSystem.FileSystem
        yield* Effect.mapError(files.writeFileString(out.value, checkpoint), (error) => unwritable(out.value, error))
        yield* print(
          json,
          { chainId, blocks, file: out.value },
          `${out.value} written: ${blocks} blocks of chain ${chainId}. Whoever trusts it checks proofs against it: npx treemark-verify PROOF --checkpoint ${out.value}`
        )
      })
    )
).pipe(
  Command.withDescription("Write the hashes of the blocks that hold commits made here, and of the newest block"),
  Command.withExamples([
    {
      command: "treemarkd checkpoint export --out mainnet.checkpoint.json",
      description: "For those who trust this daemon's node"
    }
  ])
)

export const checkpointCommand = Command.make("checkpoint").pipe(
  Command.withDescription("Block hashes, for verifying offline that commits are on the ledger"),
  Command.withSubcommands([exportCommand])
)
