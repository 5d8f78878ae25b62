/** Port: signs an asset tree's checksum with the wallet of a caller. The keys stay behind it. */
import { Context, type Effect, Schema } from "effect"
import type { Caller } from "../identity/Caller.ts"
import type { StorageUnavailable } from "../ledger/ContentStore.ts"

export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", {
  cause: Schema.Defect()
}) {
  override get message() {
    return "The caller's wallet could not be opened for signing. Nothing was sent and nothing was charged."
  }
}

export class Signer extends Context.Service<
  Signer,
  {
    /** EIP-191 signature (65 bytes hex) over `checksum` (64 lower-case hex digits, as text) by the caller's wallet. */
    readonly signChecksum: (
      caller: Caller,
      checksum: string
    ) => Effect.Effect<string, SignerUnavailable | StorageUnavailable>
  }
>()("@treemark/core/signing/Signer") {}
