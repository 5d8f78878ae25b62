/**
 * `treemarkd checkpoint`: the block hashes that turn a proof of inclusion into a proof of being on the ledger, and the signatures of those
 * who have seen these blocks.
 */
import { CHECKPOINT_LIMIT } from "@treemark/core/verify"
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { failed, unreadable, unwritable } from "./Failures.ts"
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
          `${out.value} written: ${blocks} blocks of chain ${chainId}. Whoever trusts it checks proofs against it: npx @treemark/verify PROOF --checkpoint ${out.value}`
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

const FILE = {
  file: Argument.String("file").pipe(Argument.withDescription("Checkpoint file")),
  account: Flag.String("account").pipe(
    Flag.withDescription("Account whose wallet signs: its id or name (default: the service's own wallet)"),
    Flag.optional
  ),
  out: Flag.String("out").pipe(
    Flag.withDescription("File to write (default: the same file, replaced at once)"),
    Flag.withMetavar("FILE"),
    Flag.optional
  )
}

/** Reads the file, has it signed and writes it whole or not at all. */
const signed = (cosign: boolean) =>
  Effect.fnUntraced(function* (asked: {
    readonly file: string
    readonly account: Option.Option<string>
    readonly out: Option.Option<string>
  }) {
    return yield* withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const files = yield* FileSystem.FileSystem
        const { file } = asked
        const { size } = yield* Effect.mapError(files.stat(file), (error) => unreadable(file, error))
        if (size > CHECKPOINT_LIMIT) {
          return yield* failed("checkpoint_too_large", `${file} has over 16 MiB, so it is no checkpoint file.`)
        }
        const text = yield* Effect.mapError(files.readFileString(file), (error) => unreadable(file, error))
        const payload = { checkpoint: text, account: Option.getOrNull(asked.account), cosign }
        const { blocks, chainId, checkpoint, signer, signers } = yield* client.operations.signCheckpoint({ payload })
        const out = Option.getOrElse(asked.out, () => file)
        yield* files.writeFileString(`${out}.new`, checkpoint).pipe(
          Effect.andThen(files.rename(`${out}.new`, out)),
          Effect.mapError((error) => unwritable(out, error))
        )
        const seen = cosign ? `Our node has all of its ${blocks} blocks of chain ${chainId}. ` : ""
        yield* print(
          json,
          { chainId, blocks, signer, signers, file: out },
          `${seen}${out} is signed by ${signer}; so far ${signers.length} ${signers.length === 1 ? "has" : "have"} signed it. ` +
            `Whoever knows that address counts it as a witness: npx @treemark/verify PROOF --checkpoint ${out} --quorum ${signers.length}`
        )
      })
    )
  })

const signCommand = Command.make("sign", FILE, signed(false)).pipe(
  Command.withDescription("Sign a checkpoint file of your own: that you vouch for what it says"),
  Command.withExamples([
    { command: "treemarkd checkpoint sign mainnet.checkpoint.json", description: "With the service's own wallet" }
  ])
)

const cosignCommand = Command.make("cosign", FILE, signed(true)).pipe(
  Command.withDescription(
    "Add your signature to somebody's checkpoint, after your own node has shown every block and contract in it"
  ),
  Command.withExamples([
    { command: "treemarkd checkpoint cosign theirs.checkpoint.json", description: "As a second witness" }
  ])
)

export const checkpointCommand = Command.make("checkpoint").pipe(
  Command.withDescription("Block hashes, for verifying offline that commits are on the ledger"),
  Command.withSubcommands([exportCommand, signCommand, cosignCommand])
)
