/** Commits under way: leases, nonces, what a ledger says of them, and the rows of their money. */
import type { Mutant } from "./Mutant.ts"

const SHARED = "daemon/commits/Shared"

export const JOBS: ReadonlyArray<Mutant> = [
  {
    what: "a daemon that woke up sends for a wallet that another one has",
    file: "daemon/src/evm/Following.ts",
    from: "Effect.andThen(leases.confirm(lease), sendOnce(network, raw))",
    to: "sendOnce(network, raw)",
    in: "daemon/evm/Following",
    test: "is handed to a node while the lease holds"
  },
  {
    what: "two daemons sign for one wallet",
    file: "daemon/src/store/Replicas.ts",
    from: 'OR NOT ${isAlive(sql, "signer_lease.replica_id")}',
    to: "OR TRUE",
    in: SHARED,
    test: "one of them signs for a wallet while it lives"
  },
  {
    what: "a daemon that lost its lease stores what it signed",
    file: "daemon/src/store/Replicas.ts",
    from: " AND replica_id = ${id} AND epoch = ${epoch} FOR SHARE`",
    to: " FOR SHARE`",
    in: SHARED,
    test: "one that showed no sign of life is succeeded"
  },
  {
    what: "nonces that are under way are given again, after a start beside a node that lags",
    file: "daemon/src/evm/Nonces.ts",
    from: "\n    WHERE signer_nonce.next_nonce < excluded.next_nonce`",
    to: "`",
    in: "daemon/evm/Nonces",
    test: "begin where the chain is, and never go back"
  },
  {
    what: "a nonce is given back behind which others are under way",
    file: "daemon/src/evm/Nonces.ts",
    from: " AND next_nonce = ${nonce + 1} RETURNING",
    to: " RETURNING",
    in: "daemon/evm/Nonces",
    test: "are given back only when no later one was taken"
  },
  {
    what: "another contract's event in the transaction is the commit",
    file: "daemon/src/commits/CommitRow.ts",
    from: "isAddressEqual(address, network.contract as `0x${string}`) && topics[0]",
    to: "topics[0]",
    in: "daemon/commits/CommitRow",
    test: "is our contract's event, wherever other contracts' events stand"
  },
  {
    what: "histories hold what any contract wrote",
    file: "daemon/src/evm/CommitLogs.ts",
    from: "    address: network.contract as Hex,\n",
    to: "",
    in: "daemon/evm/CommitLogs",
    test: "are asked for by the contract, the event, the recorders and the assets"
  },
  {
    what: "a call that was charged is booked as one that failed",
    file: "daemon/src/books/HoldEntries.ts",
    from: "captureLines(moneyOf(hold), charge)",
    to: "releaseLines(moneyOf(hold))",
    in: "daemon/books/Charges",
    test: "a captured commit: price to revenue, gas to gas"
  },
  {
    what: "an entry that is posted again is booked twice",
    file: "daemon/src/books/Postings.ts",
    from: "if (yield* isPosted(id)) return false",
    to: "",
    in: "daemon/books/Postings",
    test: "posting the same entry id again changes nothing"
  },
  {
    what: "a receipt is earlier than the one it follows",
    file: "daemon/src/books/Receipts.ts",
    from: ", Number(last?.created_at ?? 0))",
    to: ", 0)",
    in: "daemon/books/ReceiptsClock",
    test: "is never earlier than the one it follows"
  },
  {
    what: "a transaction that a node has already is taken for refused, and its money given back",
    file: "daemon/src/evm/Sending.ts",
    from: 'if (KNOWN.test(detail)) return { kind: "taken" }',
    to: "",
    in: "daemon/evm/RpcOutcomes",
    test: 'has the transaction when it says "already known"'
  },
  {
    what: "a wallet that another program uses counts as free",
    file: "daemon/src/evm/Sending.ts",
    from: 'if (OCCUPIED.test(detail)) return { kind: "occupied", reason: detail }',
    to: "",
    in: "daemon/evm/RpcOutcomes",
    test: "keeps its nonce when that is occupied in the pool"
  },
  {
    what: "a transaction is sent before its row is on the disk",
    file: "daemon/src/evm/Outbox.ts",
    from: "sign: (seat, wanted) => store.sign(wanted, seat.lane, seat.lease),",
    to: "sign: (seat, wanted) => Effect.tap(store.sign(wanted, seat.lane, seat.lease), (signed) => Effect.ignore(following.sendUnder(seat.lease, signed))),",
    in: "daemon/commits/SentAfterStored",
    test: "is never sent: the node sees no transaction of it"
  },
  {
    what: "a daemon that lost the wallet signs for it",
    file: "daemon/src/evm/OutboxStore.ts",
    from: "if (right === undefined) yield* leases.guard(lease)",
    to: "",
    in: "daemon/evm/OutboxStore",
    test: "is signed under the lease alone"
  },
  {
    what: "a transaction that was reverted counts as recorded",
    file: "daemon/src/commits/CommitRow.ts",
    from: 'receipt.status === "success" ? event?.logIndex : undefined',
    to: "event?.logIndex",
    in: "daemon/commits/CommitRow",
    test: "is none when the transaction was reverted"
  },
  {
    what: "a commit is signed that its caller gave up long ago",
    file: "daemon/src/commits/CommitRows.ts",
    from: " AND wanted_until > ${now}`",
    to: "`",
    in: "daemon/commits/CommitRows",
    test: "is wanted until its caller's deadline"
  },
  {
    what: "two daemons work for one key, and charge twice",
    file: "daemon/src/books/Keys.ts",
    from: "return taken.length > 0 ? undefined : new IdempotencyKeyInUse({ key })",
    to: "return undefined",
    in: "daemon/books/Keys",
    test: "is claimed once"
  },
  {
    what: "an account that was closed spends",
    file: "daemon/src/books/Placing.ts",
    from: "fundingFor(wanted.amount, { credits: isClosed ? 0n : balance, wallet })",
    to: "fundingFor(wanted.amount, { credits: balance, wallet })",
    in: "daemon/accounts/AccountClosing",
    test: "refuses everything that would begin anew"
  },
  {
    what: "money that another daemon holds for a call is given back",
    file: "daemon/src/books/Holds.ts",
    from: ' AND NOT ${isAlive(sql, "h.replica_id")}',
    to: "",
    in: SHARED,
    test: "what a living daemon holds for its calls is not given back"
  },
  {
    what: "what is owed to a running call is spent by another",
    file: "daemon/src/books/Placing.ts",
    from: "wallet = payable(reading.onChain, owed)",
    to: "wallet = payable(reading.onChain, 0n)",
    in: "daemon/books/TokenCharges",
    test: "a wallet with exactly the price is served"
  },
  {
    what: "a token spends beyond its limit for the day",
    file: "daemon/src/books/Placing.ts",
    from: "if (limited !== undefined) return",
    to: "if (limited === null) return",
    in: "daemon/books/SpendingLimit",
    test: "100 calls at once from credits on a limit for exactly 7"
  },
  {
    what: "what failed counts against a token's limit",
    file: "daemon/src/books/TokenSpending.ts",
    from: " AND state <> 'released'",
    to: "",
    in: "daemon/books/SpendingLimit",
    test: "what failed does not count"
  }
]
