/** What a person reads in the terminal: the three answers first, the tone that follows them, then what the proof tells and how much each part is worth. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Act,
  inputOfProof,
  type JsonObject,
  parseProof,
  type Report,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { toneOf } from "../../packages/verify/src/answers/Tone.ts"
import { verifyProof } from "../../packages/verify/src/index.ts"
import { render } from "../../packages/verify/src/Render.ts"
import { asset, author, proofFile, signed, stranger, utf8 } from "../core/verification/Fixtures.ts"

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what colours a terminal.
const GREEN = /\u001b\[32m/
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what colours a terminal.
const RED = /\u001b\[31m/

const tree: JsonObject = JSON.parse(new TextDecoder().decode(signed.tree))
const shown = (report: Report, members: JsonObject = tree) => render(report, { colour: false, tree: members })
const coloured = (report: Report) => render(report, { colour: true, tree })
const authors = `${author} "Ada Lovelace"\n`

const input = (changes: VerifyInput = {}): VerifyInput => {
  const reading = parseProof(utf8(proofFile))
  assert.isTrue(reading.ok)
  return { ...(reading.ok ? inputOfProof(reading.proof) : {}), ...changes }
}
const tampered = () =>
  verify(input({ tree: utf8(new TextDecoder().decode(signed.tree).replace("a photo", "my photo")) }))

describe("the tone", () => {
  const cases: ReadonlyArray<readonly [string, string, RegExp, () => Report]> = [
    [
      "the file and a name of the reader's",
      "full",
      /^✓ This is the file, and Ada Lovelace signed/,
      () => verifyProof(proofFile, { asset, authors })
    ],
    [
      "the file and a key that is expected",
      "full",
      /^✓ This is the file, and the key that you expect/,
      () => verifyProof(proofFile, { asset, author })
    ],
    [
      "the file and a key that nobody confirmed",
      "open",
      /^… .*you have not confirmed whose key/,
      () => verifyProof(proofFile, { asset })
    ],
    [
      "no file, and a name",
      "open",
      /^… The record holds\. Your file was not compared/,
      () => verifyProof(proofFile, { authors })
    ],
    ["neither", "open", /^… The record holds\. Two questions are open/, () => verifyProof(proofFile)],
    [
      "another file",
      "amber",
      /^! This is not the file that was signed\. The record itself holds/,
      () => verifyProof(proofFile, { asset: utf8("saved anew"), author })
    ],
    [
      "another signer than expected",
      "amber",
      /^! Not confirmed\./,
      () => verifyProof(proofFile, { asset, author: stranger })
    ],
    ["a changed record", "bad", /^✗ Do not rely on this\. The tree's bytes have another checksum/, tampered]
  ]
  for (const [title, tone, headline, report] of cases) {
    it(`of ${title} is ${tone}, and only full success is green`, () => {
      const made = report()
      assert.strictEqual(toneOf(made), tone)
      assert.match(shown(made), headline)
      assert.strictEqual(GREEN.test(coloured(made)), tone === "full")
      if (tone !== "full") assert.notMatch(coloured(made), GREEN)
      if (tone === "bad") assert.match(coloured(made), RED)
      if (tone === "open") assert.notMatch(coloured(made), RED)
    })
  }
})

describe("the three answers", () => {
  it("come first, each with what it means and what to do, before the verdict and the rest", () => {
    const text = shown(verifyProof(proofFile))
    const places = [
      "Is it the same file?",
      "Who signed it, and do you know that key?",
      "Since when is that proven?",
      "\nverdict valid: ",
      "\nWhose work it is",
      "\nThe work",
      "\nWho did this, and what",
      "\nWhere and when",
      "✓ tree-json"
    ].map((part) => text.indexOf(part))
    assert.isTrue(
      places.every((at) => at > 0),
      String(places)
    )
    assert.deepStrictEqual(
      places,
      [...places].sort((left, right) => left - right)
    )
    assert.strictEqual(text.match(/^ {2}→ /gm)?.length, 3)
  })

  it("of another file say that it may be an innocent copy, that the record holds, and what to ask for", () => {
    const text = shown(verifyProof(proofFile, { asset: utf8("saved anew") })).replaceAll(/\s+/g, " ")
    assert.include(text, "The record itself holds")
    assert.include(text, "This alone is no sign of forgery")
    assert.include(text, "Ask the sender for the original")
  })

  it("show a name inside the file as what the signer says, never as who it is", () => {
    for (const text of [shown(verifyProof(proofFile)), shown(verifyProof(proofFile, { author: stranger }))]) {
      assert.match(text.replaceAll(/\s+/g, " "), /the signer calls themselves "Ada [^"]*"; nobody has checked that\./)
      assert.match(text, /\n {2}creator +Ada .* signed; what the signer calls themselves\n/)
    }
    assert.notMatch(shown(verifyProof(proofFile)).split("Who signed it")[0]!, /Ada/)
  })
})

describe("what the proof tells", () => {
  const members: JsonObject = {
    ...tree,
    headline: "Morning\u001b[2J light",
    license: { name: "CC0", document: "https://example.org/cc0" },
    nftRecord: { chainID: 7, contractAddress: null, tokenID: null }
  }

  it("has title, caption, creator, licence, action and message, each marked signed, ledger or claimed", () => {
    const act: Act = {
      action: "bafk",
      actionName: "action-license",
      message: "I sell\nall rights",
      recorder: stranger,
      by: "recorder",
      provenance: "ledger"
    }
    const text = shown({ ...verifyProof(proofFile), act }, members)
    for (const line of [
      "  title      Morning\\u{1b}[2J light  signed",
      "  caption    a photo  signed",
      "  licence    CC0 (https://example.org/cc0)  signed",
      "  made       2023-11-14T22:13:20Z  signed",
      "  nft        chain 7 named, no contract  signed",
      "  action     action-license  ledger",
      "  message    I sell\\u{a}all rights  ledger",
      `  by         ${stranger}  ledger; who recorded it; the author's signature does not cover this act`
    ]) {
      assert.include(text, `\n${line}\n`)
    }
    const byAuthor = shown({ ...verifyProof(proofFile), act: { ...act, by: "author", provenance: "signed" } })
    assert.include(byAuthor, "  by         its author  signed; who signed this act, too\n")
  })

  it("marks nothing as signed that no signature covers, and says nothing where nothing is told", () => {
    const text = shown(tampered())
    assert.match(text, /\n {2}caption +a photo +claimed\n/)
    const bare = render(verify({ tree: utf8("{}"), record: { assetTreeSha256: "12", assetTreeSignature: "0x" } }), {
      colour: false
    })
    assert.notInclude(bare, "The work\n  title")
    assert.notInclude(bare, "Who did this")
  })

  it("shows an NFT only where a contract or a token is named", () => {
    const nft = (nftRecord: JsonObject) =>
      /\n {2}nft +(.*?) {2}/.exec(shown(verifyProof(proofFile), { ...tree, nftRecord }))?.[1]
    assert.strictEqual(
      nft({ chainID: 1, contractAddress: stranger, tokenID: "5" }),
      `token 5 of contract ${stranger} on chain 1`
    )
    assert.strictEqual(nft({ chainID: null, contractAddress: null, tokenID: null }), undefined)
    assert.strictEqual(
      nft({ chainID: null, contractAddress: null, tokenID: "5" }),
      "token 5 of contract not named on chain not named"
    )
  })

  it("names the witnesses, whose word the block is", () => {
    const witnesses = [
      { signer: stranger, name: "Bob\u202e" },
      { signer: null, name: null }
    ]
    const text = shown({ ...verifyProof(proofFile), witnesses })
    assert.include(text, `witness    Bob\\u{202e} (${stranger}), a checkpoint file that nobody signed`)
  })
})
