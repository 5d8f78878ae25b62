/** How many wallets send commits. Apart from the wallets themselves, so that reading the settings loads no cryptography. */
import { Context } from "effect"

/** The most a service may have. */
export const MOST_COMMITTERS = 64

/** How many there are. */
export const CommitterCount = Context.Reference<number>("@treemark/daemon/wallets/CommitterCount", {
  defaultValue: () => 1
})
