/**
 * `@treemark/core/memory`: the ports of a commit in memory, so that a service embeds `commitAsset` without the daemon. All of them at once,
 * or each beside the service's own. They keep nothing past the process, and have no clock or chance of their own: time is Effect's `Clock`.
 */
import { Layer } from "effect"
import type { Registration } from "./ledger/Registry.ts"
import { booksInMemory } from "./memory/MemoryBooks.ts"
import { chargesInMemory } from "./memory/MemoryCharges.ts"
import { commitsInMemory } from "./memory/MemoryCommits.ts"
import { contentInMemory, registryInMemory, signerInMemory } from "./memory/MemoryContent.ts"
import { ledgerInMemory, type MemoryLedgerOptions } from "./memory/MemoryLedger.ts"

export { type BookMovement, booksInMemory, type Funds, MemoryBooks } from "./memory/MemoryBooks.ts"
export { chargesInMemory } from "./memory/MemoryCharges.ts"
export { commitsInMemory } from "./memory/MemoryCommits.ts"
export { contentInMemory, registryInMemory, signerInMemory } from "./memory/MemoryContent.ts"
export { ledgerInMemory, type MemoryLedgerOptions } from "./memory/MemoryLedger.ts"
export { proofOfReceipt } from "./memory/MemoryProof.ts"

export interface MemoryOptions extends MemoryLedgerOptions {
  readonly registered: ReadonlyArray<Registration>
  readonly keyOf: Parameters<typeof signerInMemory>[0]
  readonly fundsOf: Parameters<typeof booksInMemory>[0]
}

/**
 * Every port of a commit in memory, and the books behind them. To put one of your own in a place, put the parts together yourself:
 * `commitsInMemory` keeps the ledger and the content store that it was built over.
 */
export const portsInMemory = (options: MemoryOptions) =>
  Layer.mergeAll(commitsInMemory, chargesInMemory).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        booksInMemory(options.fundsOf),
        contentInMemory(),
        ledgerInMemory(options),
        registryInMemory(options.registered),
        signerInMemory(options.keyOf)
      )
    )
  )
