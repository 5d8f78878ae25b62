/** What the commands about an asset's history take. */
import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { assetName } from "./NamedAsset.ts"

export const assetArgument = Argument.String("asset").pipe(
  Argument.withDescription("The asset's file, or its CID"),
  Argument.withSchema(assetName("the assetCid of a registered asset"))
)

const Recorder = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u, { message: "must be a wallet's address: 0x and 40 hexadecimal digits" })
)

export const recordersFlag = Flag.String("recorder").pipe(
  Flag.withDescription("A wallet whose word you take for what was done, beside this daemon's committers (repeatable)"),
  Flag.withMetavar("0x…"),
  Flag.withSchema(Recorder),
  Flag.between(0, 100)
)

export const networkFlag = Flag.Literals("network", ["mainnet", "testnet"]).pipe(
  Flag.withDescription("Whose ledger (default: mainnet)"),
  Flag.withDefault("mainnet")
)
