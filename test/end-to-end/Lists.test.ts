/** What an account has, over HTTP: files sent as forms and as they are, with their names; lists of assets and commits; events as they happen. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"

interface Registered {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly cid: string
}

const account = Effect.fnUntraced(function* (name: string) {
  const daemon = yield* RunningDaemon
  const { token } = yield* daemon.createAccount({ name, credits: "5" })
  const authorization = `token ${token}`
  const send = (body: BodyInit, headers: Record<string, string> = {}) =>
    Effect.promise(async () => {
      const answer = await fetch(`${daemon.url}/assets`, {
        method: "POST",
        body,
        headers: { authorization, ...headers }
      })
      return { status: answer.status, body: (await answer.json()) as Registered & { code: string; detail: string } }
    })
  const get = (path: string) =>
    Effect.map(daemon.call(path, { headers: { authorization } }), (answer) => {
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.json() as { readonly [list: string]: ReadonlyArray<Record<string, unknown>> }
    })
  const commit = ({ assetCid, assetSha256, encodingFormat }: Registered) =>
    Effect.map(
      daemon.call("/commit", {
        body: { assetCid, assetSha256, encodingFormat, assetTimestampCreated: 1, assetCreator: "A" },
        headers: { authorization }
      }),
      (answer) => answer.json() as { readonly txHash: string }
    )
  return { authorization, send, get, commit }
})

const form = (parts: ReadonlyArray<readonly [name: string, value: string | File]>) => {
  const data = new FormData()
  for (const [name, value] of parts) data.append(name, value)
  return data
}

/** Reads events until there are `count`. */
const eventsOf = (url: string, headers: Record<string, string>, count: number) =>
  Effect.promise(async () => {
    const end = new AbortController()
    const answer = await fetch(`${url}/events`, { headers, signal: end.signal })
    assert.strictEqual(answer.headers.get("content-type"), "text/event-stream")
    const found: Array<{ id: string; kind: string; data: Record<string, unknown> }> = []
    let text = ""
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += part
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        const [, id, kind, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/u.exec(block) ?? []
        if (id !== undefined) found.push({ id, kind: kind ?? "", data: JSON.parse(data ?? "{}") })
      }
      if (found.length >= count) break
    }
    end.abort()
    return found
  })

withDaemon()("the desk of a running daemon", (it) => {
  it.effect("takes a file as a form like the file itself, keeps its name, and refuses every other form", () =>
    Effect.gen(function* () {
      const alice = yield* account("forms")
      const bytes = new Uint8Array(700_000).map((_, n) => n % 251)
      const raw = yield* alice.send(bytes, { "content-type": "image/png" })
      assert.strictEqual(raw.status, 201)
      assert.strictEqual(raw.body.cid, raw.body.assetCid)
      assert.strictEqual(raw.body.assetSha256, createHash("sha256").update(bytes).digest("hex"))

      const photo = new File([bytes], "día de playa.png", { type: "image/png" })
      for (const name of ["asset_file", "file"]) {
        assert.deepStrictEqual(yield* alice.send(form([[name, photo]])), raw)
      }
      const { assets } = yield* alice.get("/assets")
      assert.deepInclude(assets?.[0], {
        assetCid: raw.body.assetCid,
        name: "día de playa.png"
      })

      const other = new File(["other"], "other.txt", { type: "text/plain" })
      const refused = [
        [
          ["asset_file", photo],
          ["caption", "a day"]
        ],
        [
          ["caption", "a day"],
          ["asset_file", photo]
        ],
        [
          ["file", other],
          ["file", photo]
        ],
        [["photo", other]],
        []
      ] as const
      for (const parts of refused) {
        const { body, status } = yield* alice.send(form(parts))
        assert.deepStrictEqual([status, body.code], [415, "unsupported_media_type"], body.detail)
        assert.include(body.detail, "whole body")
      }
      assert.strictEqual((yield* alice.get("/assets")).assets?.length, 1)
    })
  )

  it.effect("lists the account's assets and commits, newest first, page by page, and nobody else's", () =>
    Effect.gen(function* () {
      const bob = yield* account("lists")
      const registered: Array<Registered> = []
      for (let n = 0; n < 7; n++) {
        const sent = yield* bob.send(`file ${n} of bob`, {
          "content-type": "text/plain",
          "content-disposition": `attachment; filename="../notes/${n}%_.txt"`
        })
        registered.push(sent.body)
      }
      const txHashes: Array<string> = []
      for (const asset of registered.slice(0, 3)) txHashes.push((yield* bob.commit(asset)).txHash)

      const pages = Effect.fnUntraced(function* (path: string, name: string) {
        const all: Array<Record<string, unknown>> = []
        for (let cursor: string | null = ""; cursor !== null; ) {
          const page: Record<string, unknown> = yield* bob.get(
            `${path}?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`
          )
          all.push(...(page[name] as ReadonlyArray<Record<string, unknown>>))
          cursor = page.next as string | null
        }
        return all
      })
      const assets = yield* pages("/assets", "assets")
      assert.sameMembers(
        assets.map(({ assetCid }) => assetCid),
        registered.map(({ assetCid }) => assetCid)
      )
      assert.deepStrictEqual(
        assets.map(({ registeredAt }) => registeredAt),
        assets
          .map(({ registeredAt }) => String(registeredAt))
          .sort()
          .reverse()
      )
      const first = assets.find(({ assetCid }) => assetCid === registered[0]?.assetCid)
      assert.deepInclude(first, { name: "0%_.txt", commits: 1, size: 13 })
      assert.deepInclude(first?.lastCommit, { txHash: txHashes[0] })
      const commits = yield* pages("/commits", "commits")
      assert.deepStrictEqual(
        commits.map(({ txHash }) => txHash),
        [...txHashes].reverse()
      )
      const searched = yield* bob.get("/assets?q=5%25_.T")
      assert.deepStrictEqual(
        searched.assets?.map(({ name }) => name),
        ["5%_.txt"]
      )
      const stranger = yield* account("stranger")
      assert.deepStrictEqual(yield* stranger.get("/assets"), { assets: [], next: null } as never)
      assert.deepStrictEqual(yield* stranger.get("/commits"), { commits: [], next: null } as never)
      const daemon = yield* RunningDaemon
      for (const query of ["limit=0", "limit=101", "cursor=x", "limit=2&limit=3"]) {
        const answer = yield* daemon.call(`/assets?${query}`, { headers: { authorization: bob.authorization } })
        assert.strictEqual(answer.status, 400)
      }
      assert.strictEqual((yield* daemon.call("/assets")).status, 401)
    })
  )

  it.effect("tells what happens to the account, and goes on after the last event that was seen", () =>
    Effect.gen(function* () {
      const daemon = yield* RunningDaemon
      const carol = yield* account("events")
      const { body } = yield* carol.send("carol's", { "content-type": "text/plain" })
      const { txHash } = yield* carol.commit(body)
      const headers = { authorization: carol.authorization }
      const all = yield* eventsOf(daemon.url, { ...headers, "last-event-id": "0" }, 2)
      assert.deepStrictEqual(
        all.map(({ kind }) => kind),
        ["registered", "committed"]
      )
      assert.deepInclude(all[1]?.data.commit, { txHash })
      const later = yield* Effect.forkChild(eventsOf(daemon.url, { ...headers, "last-event-id": all[1]!.id }, 1))
      yield* carol.send("another", { "content-type": "text/plain" })
      const [next] = yield* Fiber.join(later)
      assert.strictEqual(next?.kind, "registered")
    })
  )
})
