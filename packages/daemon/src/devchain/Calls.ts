/**
 * eth_call and eth_estimateGas: run a message on the state of a stored block and throw the changes away. As in geth, a
 * call that names no gas price runs at base fee 0 and costs the sender nothing but its value.
 */
import { type Block, type BlockHeader, createBlock } from "@ethereumjs/block"
import { createAccessList2930Tx, createLegacyTx } from "@ethereumjs/tx"
import { createAddressFromString } from "@ethereumjs/util"
import { type RunTxResult, runTx, type VM } from "@ethereumjs/vm"
import { headerBefore } from "./Blocks.ts"
import type { CallMachine } from "./CallMachine.ts"
import { BASE_FEE_PER_GAS, BLOCK_GAS_LIMIT } from "./ChainConfig.ts"
import { data, type Hex } from "./Hex.ts"
import { applyOverrides, overridesOf, refuseLaterFields } from "./Overrides.ts"
import { invalidParams, REFUSED, RpcError, refused } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"
import { member } from "./RpcParams.ts"

/** A message to run; amounts in wei, `gasPrice` 0 when the caller named none. */
export interface Message {
  readonly from: Hex
  readonly to: Hex | undefined
  readonly gas: bigint | undefined
  readonly gasPrice: bigint
  readonly value: bigint
  readonly input: Uint8Array
  readonly accessList: ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }> | undefined
  readonly overrides: ReturnType<typeof overridesOf>
}

const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`

/** Extra gas geth leaves for the 63/64 rule and the call stipend on its first guess. */
const CALL_STIPEND = 2300n

const accessListOf = (value: unknown): Message["accessList"] => {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalidParams("accessList: want an array of { address, storageKeys }")
  return value.map((item: unknown) => {
    const members = RpcParams.object([item], 0)
    const keys = Array.isArray(members.storageKeys) ? members.storageKeys : []
    return {
      address: RpcParams.address([members.address], 0),
      storageKeys: keys.map((key: unknown) => data(RpcParams.hash([key], 0)))
    }
  })
}

/** Reads the parameters of eth_call and eth_estimateGas: the message first, state overrides third. */
export const messageOf = (params: Params): Message => {
  const members = RpcParams.object(params, 0)
  refuseLaterFields(members)
  const input = member(members, "input", RpcParams.bytesOf)
  const data = member(members, "data", RpcParams.bytesOf)
  if (input !== undefined && data !== undefined && !Buffer.from(input).equals(data)) {
    throw invalidParams(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data'
    )
  }
  const gasPrice =
    member(members, "gasPrice", RpcParams.quantityOf) ?? member(members, "maxFeePerGas", RpcParams.quantityOf) ?? 0n
  return {
    from: member(members, "from", RpcParams.address) ?? ZERO_ADDRESS,
    to: member(members, "to", RpcParams.address),
    gas: member(members, "gas", RpcParams.quantityOf),
    gasPrice,
    value: member(members, "value", RpcParams.quantityOf) ?? 0n,
    input: input ?? data ?? new Uint8Array(),
    accessList: accessListOf(members.accessList),
    overrides: overridesOf(params, 2)
  }
}

const transactionOf = (vm: VM, message: Message, gasLimit: bigint) => {
  const fields = {
    gasLimit,
    gasPrice: message.gasPrice,
    value: message.value,
    data: message.input,
    ...(message.to === undefined ? {} : { to: message.to })
  }
  const opts = { common: vm.common, freeze: false }
  const tx =
    message.accessList === undefined
      ? createLegacyTx(fields, opts)
      : createAccessList2930Tx(
          {
            ...fields,
            chainId: vm.common.chainId(),
            accessList: message.accessList.map(({ address, storageKeys }) => ({
              address,
              storageKeys: [...storageKeys]
            }))
          },
          opts
        )
  const sender = createAddressFromString(message.from)
  tx.getSenderAddress = () => sender
  return tx
}

const blockFor = (vm: VM, head: BlockHeader, message: Message): Block =>
  createBlock(
    {
      header: {
        ...headerBefore(head, head.timestamp),
        baseFeePerGas: message.gasPrice === 0n ? 0n : BASE_FEE_PER_GAS
      },
      withdrawals: []
    },
    { common: vm.common }
  )

const run = async (vm: VM, block: Block, message: Message, gasLimit: bigint): Promise<RunTxResult> => {
  await vm.evm.journal.checkpoint()
  try {
    const tx = transactionOf(vm, message, gasLimit)
    return await runTx(vm, { tx, block, skipNonce: true, skipBalance: true, skipBlockGasLimitValidation: true })
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw refused(error instanceof Error ? error.message.replace(/ \(vm hf=.*$/s, "") : String(error))
  } finally {
    await vm.evm.journal.revert()
  }
}

const errorString = (returned: Uint8Array): string => {
  const text = Buffer.from(returned)
  if (text.length < 68 || text.readUInt32BE(0) !== 0x08c379a0) return ""
  const length = Number(BigInt(data(text.subarray(36, 68))))
  return `: ${text.subarray(68, 68 + length).toString("utf8")}`
}

const failure = ({ execResult }: RunTxResult): RpcError | undefined => {
  const { exceptionError, returnValue } = execResult
  if (exceptionError === undefined) return undefined
  if (exceptionError.error === "revert") {
    return new RpcError(3, `execution reverted${errorString(returnValue)}`, data(returnValue))
  }
  return refused(exceptionError.error)
}

const checkFunds = async (vm: VM, message: Message, gasLimit: bigint): Promise<bigint> => {
  const balance = (await vm.stateManager.getAccount(createAddressFromString(message.from)))?.balance ?? 0n
  const cost = gasLimit * message.gasPrice + message.value
  if (cost > balance) {
    throw refused(`insufficient funds for gas * price + value: address ${message.from} have ${balance} want ${cost}`)
  }
  return balance
}

/** Runs `message` after block `head`; answers what it returns, or throws 3 (reverted, with data) or -32000. */
export const call = (machine: CallMachine, head: BlockHeader, message: Message): Promise<Hex> =>
  machine.at(head.stateRoot, async (vm) => {
    await applyOverrides(vm, message.overrides)
    return callOn(vm, head, message)
  })

const callOn = async (vm: VM, head: BlockHeader, message: Message): Promise<Hex> => {
  const gasLimit = message.gas === undefined || message.gas > BLOCK_GAS_LIMIT ? BLOCK_GAS_LIMIT : message.gas
  await checkFunds(vm, message, message.gasPrice === 0n ? 0n : gasLimit)
  const result = await run(vm, blockFor(vm, head, message), message, gasLimit)
  const error = failure(result)
  if (error !== undefined) throw error
  return data(result.execResult.returnValue)
}

/**
 * The least gas limit `message` succeeds with after block `head`, at most 1.5 % above it (geth's search). What it really used is tried
 * first: it suffices unless a contract looks at the gas that is left, and is given a refund or makes calls of its own.
 */
export const estimateGas = (machine: CallMachine, head: BlockHeader, message: Message): Promise<bigint> =>
  machine.at(head.stateRoot, async (vm) => {
    await applyOverrides(vm, message.overrides)
    return estimateOn(vm, head, message)
  })

const estimateOn = async (vm: VM, head: BlockHeader, message: Message): Promise<bigint> => {
  const block = blockFor(vm, head, message)
  const balance = await checkFunds(vm, message, 0n)
  const affordable = message.gasPrice === 0n ? BLOCK_GAS_LIMIT : (balance - message.value) / message.gasPrice
  let high = [message.gas ?? BLOCK_GAS_LIMIT, BLOCK_GAS_LIMIT, affordable].reduce((a, b) => (a < b ? a : b))
  const first = await run(vm, block, message, high)
  const error = failure(first)
  if (error !== undefined) {
    throw error.code === 3 || error.message !== "out of gas"
      ? error
      : refused(`gas required exceeds allowance (${high})`)
  }
  const succeeds = async (gasLimit: bigint): Promise<boolean> => {
    try {
      return failure(await run(vm, block, message, gasLimit)) === undefined
    } catch (failed) {
      if (failed instanceof RpcError && failed.code === REFUSED) return false
      throw failed
    }
  }
  let low = first.totalGasSpent - 1n
  const withRefund = first.totalGasSpent + (first.gasRefund ?? 0n)
  for (const guess of [withRefund, ((withRefund + CALL_STIPEND) * 64n) / 63n]) {
    if (guess >= high) break
    if (await succeeds(guess)) {
      high = guess
      break
    }
    low = guess
  }
  while (low + 1n < high && (high - low) * 1000n > high * 15n) {
    const middle = (low + high) / 2n < low * 2n ? (low + high) / 2n : low * 2n
    if (await succeeds(middle)) high = middle
    else low = middle
  }
  return high
}
