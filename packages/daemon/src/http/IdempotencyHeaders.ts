/** The header of calls that are charged; http/edge/IdempotencyKey says which values it may have. */
import { Schema } from "effect"

export const IdempotencyHeaders = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "1 to 255 visible ASCII characters. The same key with the same body gives the same answer (marked Idempotency-Replayed: true) and one charge"
    })
  )
}
