/** The request of both balance operations (interface.md, "Balance request"). */
import { Schema } from "effect"
import { WalletAddress } from "../identity/WalletAddress.ts"
import { decodeBody } from "./FieldProblem.ts"
import { required } from "./RequestFields.ts"

export const BalanceRequest = Schema.Struct({
  wallet: required(WalletAddress, "Wallet address whose balance is queried: 0x followed by 40 hexadecimal digits")
}).annotate({ identifier: "BalanceRequest" })
export type BalanceRequest = typeof BalanceRequest.Type

/** Decodes a JSON value as a {@link BalanceRequest}; fails with every broken rule at once, as JSON pointers. */
export const decodeBalanceRequest = decodeBody(BalanceRequest)
