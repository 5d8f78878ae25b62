/** Layer of `Charges` on the books in memory. The answer given at a capture is not kept: whoever made the call has it. */
import { Effect, Layer } from "effect"
import { Charges } from "../charging/Charges.ts"
import { Prices } from "../money/PriceList.ts"
import { MemoryBooks } from "./MemoryBooks.ts"

export const chargesInMemory: Layer.Layer<Charges, never, MemoryBooks> = Layer.effect(
  Charges,
  Effect.map(MemoryBooks, (books) => ({
    hold: (request) =>
      Effect.flatMap(Prices, (prices) =>
        books.hold({ ...request, call: request.call, price: prices[request.operation] })
      ),
    capture: (hold, amount) => books.capture(hold.id, amount),
    release: (hold) => books.release(hold.id)
  }))
)
