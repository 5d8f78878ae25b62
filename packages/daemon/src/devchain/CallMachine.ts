/**
 * The machine for calls whose changes are thrown away: making one costs more than running a commit on it, so one serves them all. Calls
 * take turns, each at the state root it names and over nodes of its own, which no block that is stored meanwhile can take away.
 */
import type { VM } from "@ethereumjs/vm"
import type { CallBudget } from "./CallBudget.ts"
import { LIMIT_EXCEEDED, limitExceeded, RpcError } from "./RpcError.ts"
import { type Ground, machineAt } from "./State.ts"

/**
 * Built-in functions whose price says little of what they cost here, as they run in JavaScript and in one piece: a call from outside may
 * spend this much gas on one of them at once, which are some tenths of a second at worst. A proof on the curve takes 181,000.
 */
const LARGEST_PIECE = 300_000n
const SLOW_FUNCTIONS = ["05", "08", "09"].map((last) => last.padStart(40, "0"))

type BuiltIn = VM["evm"]["precompiles"] extends Map<string, infer A> ? A : never

const inSmallPieces =
  (run: BuiltIn): BuiltIn =>
  async (input) => {
    if (input.gasLimit <= LARGEST_PIECE) return run(input)
    const result = await run({ ...input, gasLimit: LARGEST_PIECE })
    if (result.exceptionError?.error === "out of gas") {
      throw limitExceeded(
        `execution aborted: a built-in function (modexp, pairing or blake2f) was asked for more than ${LARGEST_PIECE} gas at once, which a call may not here`
      )
    }
    return result
  }

export class CallMachine {
  readonly #ground: Ground
  readonly #budget: CallBudget | undefined
  #vm: VM | undefined
  #turn: Promise<unknown> = Promise.resolve()

  /** With a `budget` every step of a call asks it, and slow built-in functions run in small pieces only. */
  constructor(ground: Ground, budget?: CallBudget) {
    this.#ground = { ...ground, nodes: ground.nodes.scratch() }
    this.#budget = budget
  }

  /** Makes the machine, so that the first call does not pay for it. */
  async prepare(root: Uint8Array): Promise<VM> {
    this.#vm ??= await this.#make(root)
    return this.#vm
  }

  /** Runs `work` on the machine, at the state under `root`. */
  at<A>(root: Uint8Array, work: (vm: VM) => Promise<A>): Promise<A> {
    const turn = this.#turn.then(() => this.#run(root, work))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #run<A>(root: Uint8Array, work: (vm: VM) => Promise<A>): Promise<A> {
    const vm = await this.prepare(root)
    await vm.stateManager.setStateRoot(root)
    try {
      return await work(vm)
    } catch (error) {
      // What was broken off leaves checkpoints open.
      if (!(error instanceof RpcError) || error.code === LIMIT_EXCEEDED) this.#vm = undefined
      throw error
    } finally {
      this.#ground.nodes.discard()
    }
  }

  async #make(root: Uint8Array): Promise<VM> {
    const vm = await machineAt(this.#ground, root)
    const budget = this.#budget
    if (budget === undefined) return vm
    const { evm } = vm
    // The EVM asks at every step whether anybody listens; to listen would copy stack and memory each time.
    evm.events!.listenerCount = () => {
      budget.check()
      return 0
    }
    for (const address of SLOW_FUNCTIONS) {
      const run = evm.precompiles.get(address)
      if (run !== undefined) evm.precompiles.set(address, inSmallPieces(run))
    }
    return vm
  }
}
