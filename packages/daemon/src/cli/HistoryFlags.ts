/** What the commands about an asset's history take. */
import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"

const Cid = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9]+$/u, { message: "must be a CID, such as the assetCid of a registered asset" })
)

export const assetCidArgument = Argument.String("asset-cid").pipe(
  Argument.withDescription("CID of the asset"),
  Argument.withSchema(Cid)
)

export const networkFlag = Flag.Literals("network", ["mainnet", "testnet"]).pipe(
  Flag.withDescription("Whose ledger (default: mainnet)"),
  Flag.withDefault("mainnet")
)
