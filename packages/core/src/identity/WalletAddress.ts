/**
 * A wallet address: decoded from `0x` and 40 hex digits in any letter case, held and written with its EIP-55 checksum,
 * so that two spellings of one address are one value.
 */
import { Schema, SchemaGetter } from "effect"
import { isAddressText, toEip55 } from "./Eip55.ts"

export const WalletAddress = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u, {
    message:
      "must be an Ethereum address: 0x followed by 40 hexadecimal digits, such as 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  })
).pipe(
  Schema.decodeTo(Schema.String.pipe(Schema.brand("WalletAddress")), {
    decode: SchemaGetter.transform((text: string) => (isAddressText(text) ? toEip55(text) : text)),
    encode: SchemaGetter.passthrough()
  })
)
export type WalletAddress = typeof WalletAddress.Type

/** A {@link WalletAddress} from text that is known to be an address; throws a `SchemaError` otherwise. */
export const walletAddress: (text: string) => WalletAddress = Schema.decodeSync(WalletAddress)
