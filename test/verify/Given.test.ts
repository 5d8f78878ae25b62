/** What callers of the library hand over: the right photo in any form is the same photo, and what is no file is refused by name. */
import { createReadStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { runInNewContext } from "node:vm"
import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  type Report,
  UnusableInput,
  verifyProof,
  verifyProofAsync,
  verifyRecord,
  verifyTree
} from "../../packages/verify/src/index.ts"
import { proofPage } from "../../packages/verify/src/ProofPage.ts"
import { block, checkpointOf } from "../core/verification/Block.ts"
import { asset, author, checkOf, proofFile, signed, utf8 } from "../core/verification/Fixtures.ts"
import { scratch } from "./Command.ts"

const files = scratch()
afterAll(files.remove)
const photo = files.write("photo.jpg", asset)
const proofPath = files.write("photo.proof.json", proofFile)

/** Whatever is given must pass as the very asset, or be refused; `asset_sha256_differs` would be a lie. */
const isSame = (report: Report): void => {
  assert.strictEqual(report.verdict, "valid")
  assert.strictEqual(checkOf(report, "asset-sha256").code, "ok")
}

const refusalOf = (act: () => unknown): UnusableInput => {
  try {
    act()
  } catch (error) {
    assert.instanceOf(error, UnusableInput)
    return error as UnusableInput
  }
  throw new Error("It was taken.")
}
const refusalLater = async (act: () => Promise<unknown>): Promise<UnusableInput> => {
  const error: unknown = await act().catch((reason: unknown) => reason)
  assert.instanceOf(error, UnusableInput)
  return error as UnusableInput
}

const plain = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
const shared = (bytes: Uint8Array): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(bytes.length)
  new Uint8Array(buffer).set(bytes)
  return buffer
}
/** In the middle of a larger buffer, as Node's pool hands them out. */
const pooled = (bytes: Uint8Array): Uint8Array => {
  const buffer = new Uint8Array(bytes.length + 32).fill(7)
  buffer.set(bytes, 16)
  return buffer.subarray(16, 16 + bytes.length)
}
const foreign = (expression: string, bytes: Uint8Array) =>
  runInNewContext(`(() => { const made = Uint8Array.from(list); return ${expression} })()`, { list: [...bytes] })

const IN_MEMORY: ReadonlyArray<readonly [string, (bytes: Uint8Array) => ArrayBufferView | ArrayBufferLike]> = [
  ["a Uint8Array", (bytes) => bytes],
  ["a Buffer", (bytes) => Buffer.from(bytes)],
  ["a part of a larger buffer", pooled],
  ["a Uint8ClampedArray", (bytes) => new Uint8ClampedArray(bytes)],
  ["an Int8Array", (bytes) => new Int8Array(plain(bytes))],
  ["a DataView", (bytes) => new DataView(plain(bytes))],
  ["an ArrayBuffer", plain],
  ["a SharedArrayBuffer", shared],
  ["a view of a SharedArrayBuffer", (bytes) => new Uint8Array(shared(bytes))],
  ["a Uint8Array of another realm", (bytes) => foreign("made", bytes)],
  ["an ArrayBuffer of another realm", (bytes) => foreign("made.buffer", bytes)],
  ["a DataView of another realm", (bytes) => foreign("new DataView(made.buffer)", bytes)],
  [
    "a SharedArrayBuffer of another realm",
    (bytes) =>
      foreign(
        "(() => { const all = new SharedArrayBuffer(made.length); new Uint8Array(all).set(made); return all })()",
        bytes
      )
  ]
]

const streamOf = (...parts: ReadonlyArray<unknown>): ReadableStream => {
  const left = [...parts]
  return new ReadableStream({
    pull: (controller) => (left.length === 0 ? controller.close() : controller.enqueue(left.shift()))
  })
}

const LATER: ReadonlyArray<readonly [string, (bytes: Uint8Array) => unknown]> = [
  ["a Blob", (bytes) => new Blob([new Uint8Array(bytes)])],
  ["a File", (bytes) => new File([new Uint8Array(bytes)], "photo.jpg")],
  ["a ReadableStream", (bytes) => streamOf(bytes.slice(0, 3), bytes.slice(3))],
  ["a ReadableStream of buffers of another realm", (bytes) => streamOf(foreign("made.buffer", bytes))],
  ["a stream of Node", (bytes) => Readable.from([Buffer.from(bytes)])],
  ["a Response", (bytes) => new Response(new Uint8Array(bytes))],
  ["a promise of bytes", async (bytes) => bytes],
  ["a promise of an ArrayBuffer", (bytes) => new Blob([new Uint8Array(bytes)]).arrayBuffer()],
  ["a promise of a Blob", async (bytes) => new Blob([new Uint8Array(bytes)])],
  [
    "something with arrayBuffer alone, as old Blobs are",
    (bytes) => ({ size: bytes.length, arrayBuffer: async () => plain(bytes) })
  ]
]

describe("the right photo", () => {
  for (const [title, form] of IN_MEMORY) {
    it(`given as ${title} is the same photo`, async () => {
      isSame(verifyProof(proofFile, { asset: form(asset) }))
      isSame(verifyProof(form(utf8(proofFile)), { asset }))
      isSame(await verifyProofAsync(form(utf8(proofFile)), { asset: form(asset) }))
      assert.strictEqual(
        verifyTree(form(signed.tree), { record: form(utf8(JSON.stringify(signed.record))) }).verdict,
        "valid"
      )
    })
  }
  for (const [title, form] of LATER) {
    it(`given to the promise twin as ${title} is the same photo, and the proof may come so, too`, async () => {
      isSame(await verifyProofAsync(form(utf8(proofFile)) as string, { asset: form(asset) as Blob }))
    })
  }
  it("given as a path, or as a file's stream, is the same photo", async () => {
    isSame(await verifyProofAsync({ path: proofPath }, { asset: { path: photo } }))
    isSame(await verifyProofAsync(createReadStream(proofPath), { asset: createReadStream(photo) }))
    isSame(await verifyProofAsync(createReadStream(proofPath, "utf8"), { asset: { path: photo } }))
  })
  it("gives the same report from a stream as from memory", async () => {
    const report = await verifyProofAsync(proofFile, { asset: new Blob([new Uint8Array(asset)]) })
    assert.deepStrictEqual(report, verifyProof(proofFile, { asset }))
  })
})

describe("the synchronous functions", () => {
  const noFiles: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["undefined", undefined, /this is undefined/],
    ["null", null, /this is null/],
    ["a number", 5, /this is a number/],
    ["a Promise", Promise.resolve(proofFile), /this is a Promise.*verifyProofAsync/],
    ["a Blob", new Blob([proofFile]), /this is a Blob.*verifyProofAsync/],
    ["a stream", streamOf(utf8(proofFile)), /this is a ReadableStream.*verifyProofAsync/],
    ["{ path }", { path: proofPath }, /an object with a path.*verifyProofAsync/],
    ["an array of numbers", [...utf8(proofFile)], /this is an Array/],
    ["a function", () => proofFile, /this is a function/]
  ]
  for (const [title, value, message] of noFiles) {
    it(`refuse ${title} with what is taken instead, for the proof, the tree, the asset and the rest`, () => {
      for (const act of [
        () => verifyProof(value as string),
        () => verifyTree(value as Uint8Array, { record: { ...signed.record } }),
        () => verifyProof(proofFile, { checkpoints: [value as string] }),
        ...(value === undefined
          ? []
          : [
              () => verifyProof(proofFile, { asset: value as Uint8Array }),
              () => verifyProof(proofFile, { authors: value as string })
            ])
      ]) {
        const { code, message: said } = refusalOf(act)
        assert.strictEqual(code, "input_type")
        assert.match(said, message)
      }
    })
  }

  it("refuse a record, options, an author, a list or a checksum that is none", () => {
    for (const act of [
      () => verifyRecord(null as never),
      () => verifyRecord([] as never),
      () => verifyRecord(Promise.resolve({}) as never),
      () => verifyTree(signed.tree, null as never),
      () => verifyTree(signed.tree, { sha256: 5, signature: "0x" } as never),
      () => verifyProof(proofFile, null as never),
      () => verifyProof(proofFile, { checkpoints: utf8("{}") as never }),
      () => verifyProof(proofFile, { recover: "noble" as never })
    ]) {
      assert.strictEqual(refusalOf(act).code, "input_type", String(act))
    }
    assert.strictEqual(refusalOf(() => verifyProof(proofFile, { author: 5 as never })).code, "author_malformed")
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no")
        }
      }
    )
    assert.strictEqual(refusalOf(() => verifyProof(trap as never)).code, "input_type")
    assert.strictEqual(refusalOf(() => verifyProof(proofFile, { asset: trap as never })).code, "internal")
  })

  it("never take a path for the photo, nor a buffer whose bytes are gone for an empty one", () => {
    assert.match(
      refusalOf(() => verifyProof(proofFile, { asset: photo as never })).message,
      /could be a path.*\{ path \}/
    )
    for (const gone of [(bytes: Uint8Array) => bytes, (bytes: Uint8Array) => bytes.buffer as ArrayBuffer]) {
      const bytes = new Uint8Array(asset)
      const given = gone(bytes)
      structuredClone(bytes, { transfer: [bytes.buffer] })
      assert.match(refusalOf(() => verifyProof(proofFile, { asset: given })).message, /transferred/)
    }
  })

  it("take a page with the proof inside, as text and as bytes", () => {
    const page = proofPage(
      '<!doctype html><script type="application/json" id="embedded-proof">null</script>',
      utf8(proofFile),
      "a"
    )
    isSame(verifyProof(page, { asset }))
    isSame(verifyProof(utf8(`\n ${page}`), { asset }))
  })
})

describe("the promise twin", () => {
  it("refuses what it cannot read, by name, and lets no other rejection out", async () => {
    const failing = () =>
      new ReadableStream({
        pull: () => {
          throw new Error("the cable is out")
        }
      })
    const used = new Response("x")
    await used.text()
    const ended = Readable.from([Buffer.from(asset)])
    for await (const _ of ended);
    const cases: ReadonlyArray<readonly [() => unknown, string, RegExp]> = [
      [() => undefined, "input_type", /this is undefined/],
      [() => Promise.resolve(null), "input_type", /this is null/],
      [() => 7, "input_type", /this is a number/],
      [() => ({}), "input_type", /this is a plain object/],
      [() => Promise.reject(new Error("nobody answered")), "file_unreadable", /nobody answered/],
      [() => failing(), "file_unreadable", /the cable is out/],
      [() => used, "file_unreadable", /read or closed before/],
      [() => ended, "file_unreadable", /read or closed before/],
      [() => new Response("not here", { status: 404 }), "file_unreadable", /status 404/],
      [() => streamOf(1), "input_type", /a stream of a number/],
      [() => ({ path: join(files.folder, "none") }), "file_unreadable", /there is no such file/],
      [() => ({ path: files.folder }), "file_unreadable", /it is a folder/],
      [() => ({ path: "/dev/zero" }), "file_unreadable", /has no end/]
    ]
    for (const [value, code, message] of cases) {
      for (const act of [
        () => verifyProofAsync(value() as string),
        ...(message.source.includes("undefined") ? [] : [() => verifyProofAsync(proofFile, { asset: value() as Blob })])
      ]) {
        const refusal = await refusalLater(act)
        assert.strictEqual(refusal.code, code, String(message))
        assert.match(refusal.message, message)
      }
    }
    assert.strictEqual((await refusalLater(() => verifyProofAsync(proofFile, null as never))).code, "input_type")
    assert.strictEqual(
      (await refusalLater(() => verifyProofAsync(proofFile, { asset: "photo.jpg" }))).code,
      "input_type"
    )
    assert.strictEqual(
      (await refusalLater(() => verifyProofAsync(proofFile, { checkpoints: {} as never }))).code,
      "input_type"
    )
  })

  it("refuses a photo that comes as text, because its bytes would be others", async () => {
    assert.match(
      (await refusalLater(() => verifyProofAsync(proofFile, { asset: createReadStream(photo, "utf8") }))).message,
      /stream of text/
    )
  })

  it("refuses what never ends at its limit, and tells its source to stop", async () => {
    let isCancelled = false
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
        cancel: () => {
          isCancelled = true
        }
      })
    assert.strictEqual((await refusalLater(() => verifyProofAsync(endless()))).code, "file_too_large")
    assert.isTrue(isCancelled)
    const asAsset = () => verifyProofAsync(proofFile, { asset: endless(), assetLimit: 8 * 1024 * 1024 })
    assert.strictEqual((await refusalLater(asAsset)).code, "file_too_large")
    const endlessText = async function* () {
      for (;;) yield "x".repeat(1024 * 1024)
    }
    assert.strictEqual((await refusalLater(() => verifyProofAsync(endlessText()))).code, "file_too_large")
    assert.strictEqual(
      (await refusalLater(() => verifyProofAsync(proofFile, { authors: endlessText() }))).code,
      "file_too_large"
    )
  })

  it("says the same as the synchronous function of checkpoints and authors, however they come", async () => {
    const made = await block()
    const checkpoint = JSON.stringify({
      mediaType: "application/vnd.treemark.checkpoint+json;version=1",
      chainId: checkpointOf(made).chainId,
      entries: [...checkpointOf(made).hashes].map(([number, hash]) => ({ number, hash }))
    })
    const authors = `${author} Ada\n`
    const expected = verifyProof(proofFile, { checkpoints: [checkpoint], authors })
    const later = await verifyProofAsync(proofFile, {
      checkpoints: [new Blob([checkpoint])],
      authors: Promise.resolve(new Blob([authors]))
    })
    assert.deepStrictEqual(later, expected)
    assert.strictEqual(later.signerName, "Ada")
  })
})
