/** The chain beneath its worker: what a failing disk does to it, and what of the state it keeps. */
import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { inflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Effect, type Scope } from "effect"
import { type Hex, hexToBytes } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Chain } from "../../../packages/daemon/src/devchain/Chain.ts"
import { headerOf } from "../../../packages/daemon/src/devchain/RpcObjects.ts"
import { commitBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { CHAIN_ID, commitCall, sign, TOKEN, temporaryFile } from "./ChainFixture.ts"

interface Opened {
  readonly chain: Chain
  readonly faults: Array<string>
  /** Resolves after the next block or fault. */
  readonly next: () => Promise<void>
}

const openHere = (path: string): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const faults: Array<string> = []
      let wake = (): void => {}
      const chain = await Chain.open({
        path,
        chainId: CHAIN_ID,
        now: () => 1_700_000_000,
        onBlock: () => wake(),
        onFault: (message) => {
          faults.push(message)
          wake()
        }
      })
      const next = () =>
        new Promise<void>((resolve) => {
          wake = resolve
        })
      return { chain, faults, next }
    }),
    ({ chain }) => Effect.promise(() => chain.close())
  )

const submit = async ({ chain, next }: Opened, raw: Hex): Promise<string> => {
  const done = next()
  const hash = await chain.submit(hexToBytes(raw))
  await done
  return hash
}

const fund = async ({ chain, next }: Opened, address: string): Promise<void> => {
  const done = next()
  await chain.fund(address.toLowerCase(), 1000n * TOKEN)
  await done
}

type Item = Uint8Array | ReadonlyArray<Item>

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Keys of everything a root reaches in the file; throws on a node that is not there. */
const reach = (chain: Chain, key: string, isAccounts: boolean, found: Set<string>): void => {
  if (found.has(key)) return
  const value = chain.ground.store.node(key)
  if (value === undefined) throw new Error(`node ${key} is missing`)
  found.add(key)
  const visit = (node: ReadonlyArray<Item>): void => {
    const children = node.length === 17 ? node.slice(0, 16) : node.slice(1)
    const isLeaf = node.length === 2 && ((node[0] as Uint8Array)[0] ?? 0) >= 0x20
    for (const child of children) {
      if (isLeaf && isAccounts) {
        const [, , storage, code] = RLP.decode(child as Uint8Array) as Array<Uint8Array>
        if (hexOf(storage!) !== EMPTY_TRIE) reach(chain, hexOf(storage!), false, found)
        if (hexOf(code!) !== EMPTY_CODE) found.add(`63${hexOf(code!)}`)
      } else if (!isLeaf && child instanceof Uint8Array && child.length === 32) {
        reach(chain, hexOf(child), isAccounts, found)
      } else if (!isLeaf && Array.isArray(child)) visit(child)
    }
  }
  visit(RLP.decode(value) as ReadonlyArray<Item>)
}

/** Keys of every node and code in the file, read from its bundles. */
const storedKeys = (db: DatabaseSync): ReadonlySet<string> => {
  const rows = db.prepare("SELECT id, base, data FROM bundle ORDER BY id").all()
  const bases = new Map<number, Uint8Array>()
  const keys = new Set<string>()
  for (const { base, data, id } of rows) {
    const dictionary = base === null ? undefined : bases.get(Number(base))!
    const bytes = inflateRawSync(data as Uint8Array, dictionary === undefined ? {} : { dictionary })
    if (base === null) bases.set(Number(id), bytes)
    for (let rest: Uint8Array = bytes; rest.length > 0; ) {
      const { remainder } = RLP.decode(rest, true)
      keys.add(hexOf(keccak_256(rest.subarray(0, rest.length - remainder.length))))
      rest = remainder
    }
  }
  for (const { hash } of db.prepare("SELECT hash FROM code").all()) keys.add(`63${hexOf(hash as Uint8Array)}`)
  return keys
}

const EMPTY_TRIE = "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const EMPTY_CODE = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"

describe("a chain", () => {
  it.live("shows nothing of a block that the disk refused, tells of it, and stores it once there is room", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const account = privateKeyToAccount(generatePrivateKey())
        const head = yield* Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* openHere(path)
            const { chain, faults, next } = opened
            const { db } = chain.ground.store
            return yield* Effect.promise(async () => {
              await fund(opened, account.address)
              const before = chain.head.number
              const pages = Number(Object.values(db.prepare("PRAGMA page_count").get()!)[0])
              db.exec(`PRAGMA max_page_count = ${pages}`)
              const data = `${commitCall()}${randomBytes(20_000).toString("hex")}` as Hex
              const hash = await submit(opened, await sign(account, { nonce: 0, data, gas: 1_000_000n }))
              assert.lengthOf(faults, 1)
              assert.include(faults[0], "could not be stored")
              assert.strictEqual(chain.head.number, before)
              assert.isUndefined(chain.ground.store.tx(hexToBytes(hash as Hex)))
              assert.strictEqual((await chain.account(account.address.toLowerCase())).nonce, 0n)
              const stored = next()
              db.exec("PRAGMA max_page_count = 1000000")
              await stored
              assert.strictEqual(chain.head.number, before + 1n)
              await submit(opened, await sign(account, { nonce: 1 }))
              return hexOf(chain.head.hash())
            })
          })
        )
        const { chain } = yield* openHere(path)
        assert.strictEqual(hexOf(chain.head.hash()), head)
        assert.strictEqual((yield* Effect.promise(() => chain.account(account.address.toLowerCase()))).nonce, 2n)
      })
    )
  )

  it.live("keeps of the state exactly what its blocks reach", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const opened = yield* openHere(yield* temporaryFile)
        const { chain } = opened
        yield* Effect.promise(async () => {
          const account = privateKeyToAccount(generatePrivateKey())
          await fund(opened, account.address)
          for (let other = 0; other < 20; other++) await fund(opened, privateKeyToAccount(generatePrivateKey()).address)
          await submit(opened, await sign(account, { nonce: 0, to: null, data: commitBytecode, gas: 500_000n }))
          // Initialisation code that fills slots 0 to 3, so that the account has a storage trie.
          const slots = [0, 1, 2, 3].map((slot) => `602a60${slot.toString().padStart(2, "0")}55`).join("")
          await submit(opened, await sign(account, { nonce: 1, to: null, data: `0x${slots}`, gas: 200_000n }))
        })
        const found = new Set<string>()
        for (let number = 0n; number <= chain.head.number; number++) {
          const header = headerOf(chain.ground.store.block(Number(number))!, chain.ground.common)
          reach(chain, hexOf(header.stateRoot), true, found)
        }
        assert.deepStrictEqual([...storedKeys(chain.ground.store.db)].sort(), [...found].sort())
      })
    )
  )
})
