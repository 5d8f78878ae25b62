/** Commit requests that stand in public code for these ledgers are accepted as they are. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CommitRequest } from "../../../packages/core/src/rules/CommitRequest.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { defaultAction, type Json } from "../Generators.ts"

describe("commit requests seen in public code", () => {
  interface Example {
    readonly id: string
    readonly input: { readonly body?: { readonly [key: string]: Json } }
  }
  const examples = (
    JSON.parse(
      readFileSync(new URL("../../vectors/numbers-api-examples.json", import.meta.url), "utf8")
    ) as ReadonlyArray<Example>
  ).flatMap(({ id, input }) => (input.body === undefined ? [] : [{ id, body: input.body }]))

  it.each(examples)("$id is accepted, whatever the form of custom", ({ body }) => {
    const request = Effect.runSync(decodeCommitRequest(body))
    assert.deepStrictEqual(request, {
      ...body,
      custom: { usedBy: "https://numbersprotocol.io" },
      action: defaultAction
    } as unknown as CommitRequest)
  })

  it("are two", () => assert.strictEqual(examples.length, 2))
})
