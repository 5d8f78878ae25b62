/**
 * How a receiver knows that a delivery is ours: HMAC-SHA256 over id, time and body with a secret of the watch, in the headers and the form of
 * Standard Webhooks (https://www.standardwebhooks.com), for which most languages have a library. The secret is made from the daemon's seed
 * and the watch's id and so is written down nowhere.
 */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import { type HdWalletsShape, SERVICE_WALLET } from "../../wallets/HdWallets.ts"

const PREFIX = "whsec_"

/** `whsec_` and 32 bytes in base64. */
export const webhookSecret = (
  wallets: Pick<HdWalletsShape, "privateKey">,
  watchId: string
): Redacted.Redacted<string> => {
  const key = Redacted.value(wallets.privateKey(SERVICE_WALLET))
  const bytes = createHmac("sha256", key).update(`treemark webhook ${watchId}`).digest("base64")
  return Redacted.make(`${PREFIX}${bytes}`, { label: "webhook secret" })
}

/** The headers of a delivery; `seconds` since 1970. */
export const signatureHeaders = (
  secret: Redacted.Redacted<string>,
  { body, id, seconds }: { readonly id: string; readonly seconds: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const key = Buffer.from(Redacted.value(secret).slice(PREFIX.length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` }
}
