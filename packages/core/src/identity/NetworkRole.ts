/** Which of a profile's networks is meant: `mainnet` and `testnet` are roles, and the profile says which chains fill them. */
import { Schema } from "effect"

export const NetworkRole = Schema.Literals(["mainnet", "testnet"])
export type NetworkRole = typeof NetworkRole.Type
