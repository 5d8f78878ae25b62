/**
 * State overrides of eth_call and eth_estimateGas, as geth has them: balance, nonce, code and storage of accounts as if they were other
 * than they are, for one call. What is not honoured is refused, never passed over.
 */
import { Account, createAddressFromString } from "@ethereumjs/util"
import type { VM } from "@ethereumjs/vm"
import { invalidParams } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"
import { member } from "./RpcParams.ts"

interface Override {
  readonly address: string
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** Slots and their values; with `isWhole` every other slot is empty. */
  readonly slots: ReadonlyArray<readonly [slot: Uint8Array, value: Uint8Array]>
  readonly isWhole: boolean
}

const MEMBERS = ["balance", "nonce", "code", "state", "stateDiff"]

const slotsOf = (params: Params, index: number): Override["slots"] =>
  Object.entries(RpcParams.object(params, index)).map(([slot, value]) => [
    RpcParams.slot([slot], 0),
    RpcParams.hash([value], 0)
  ])

const withoutZeros = (value: Uint8Array): Uint8Array => {
  const first = value.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array() : value.subarray(first)
}

const overrideOf = (address: string, value: unknown): Override => {
  const members = RpcParams.object([value], 0)
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) {
    throw invalidParams(`state override of ${address}: ${unknown} is not supported; want ${MEMBERS.join(", ")}`)
  }
  const state = member(members, "state", slotsOf)
  const stateDiff = member(members, "stateDiff", slotsOf)
  if (state !== undefined && stateDiff !== undefined) {
    throw invalidParams(`state override of ${address}: both "state" and "stateDiff" are set, choose one`)
  }
  return {
    address: RpcParams.address([address], 0),
    balance: member(members, "balance", RpcParams.quantityOf),
    nonce: member(members, "nonce", RpcParams.quantityOf),
    code: member(members, "code", RpcParams.bytesOf),
    slots: state ?? stateDiff ?? [],
    isWhole: state !== undefined
  }
}

/** Reads the state overrides at `index` and refuses block overrides behind them. */
export const overridesOf = (params: Params, index: number): ReadonlyArray<Override> => {
  const blockOverrides = params[index + 1] ?? {}
  if (typeof blockOverrides !== "object" || Object.keys(blockOverrides).length > 0) {
    throw invalidParams(`invalid argument ${index + 1}: block overrides are not supported`)
  }
  const value = params[index] ?? {}
  return Object.entries(RpcParams.object([value], 0)).map(([address, override]) => overrideOf(address, override))
}

/** Makes the accounts of `vm` what `overrides` say; whoever sets a state root afterwards undoes it. */
export const applyOverrides = async (vm: VM, overrides: ReadonlyArray<Override>): Promise<void> => {
  const state = vm.stateManager
  for (const { address: text, balance, code, isWhole, nonce, slots } of overrides) {
    const address = createAddressFromString(text)
    if (code !== undefined && vm.evm.precompiles.has(text.slice(2))) {
      throw invalidParams(`state override of ${text}: the code of a built-in function cannot be replaced`)
    }
    const account = (await state.getAccount(address)) ?? new Account()
    account.balance = balance ?? account.balance
    account.nonce = nonce ?? account.nonce
    await state.putAccount(address, account)
    if (code !== undefined) await state.putCode(address, code)
    if (isWhole) await state.clearStorage(address)
    for (const [slot, value] of slots) await state.putStorage(address, slot, withoutZeros(value))
  }
}

/** Members of a call that no transaction of these rules has: to pass over them would answer another question. */
export const refuseLaterFields = (members: Readonly<Record<string, unknown>>): void => {
  const found = ["authorizationList", "blobVersionedHashes", "maxFeePerBlobGas", "blobs"].find(
    (name) => (members[name] ?? null) !== null
  )
  if (found !== undefined) throw invalidParams(`${found}: not supported, this chain has no such transactions`)
}
