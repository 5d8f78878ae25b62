/** `treemarkd balance WALLET`: native-token balances, as the service's own operator sees them (free of charge). */

import { WalletAddress } from "@treemark/core"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { print, table } from "./Output.ts"
import { withAdmin } from "./Root.ts"

export const balanceCommand = Command.make(
  "balance",
  {
    wallet: Argument.String("wallet").pipe(
      Argument.withDescription("Wallet address, 0x and 40 hex digits"),
      Argument.withSchema(WalletAddress)
    ),
    allNetworks: Flag.Boolean("all-networks").pipe(
      Flag.withDescription("Ask every network of the profile, not only the mainnet"),
      Flag.withDefault(false)
    )
  },
  ({ wallet, allNetworks }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const found = yield* client.operations.balance({ payload: { wallet, allNetworks } })
        yield* print(
          json,
          found,
          table(
            ["NETWORK", "CHAIN", "BALANCE"],
            [
              ...found.networks.map((one) => [one.name, String(one.chainId), one.balance]),
              ["total", "", found.balance]
            ],
            found.balance
          )
        )
      })
    )
).pipe(
  Command.withDescription("Show a wallet's native-token balance"),
  Command.withExamples([
    {
      command: "treemarkd balance 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --all-networks",
      description: "On every network"
    }
  ])
)
