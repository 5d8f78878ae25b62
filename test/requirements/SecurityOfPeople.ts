import { assert } from "@effect/vitest"
import { proofOf, proofText, verify } from "@treemark/core/verify"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { commitData } from "../core/verification/Block.ts"
import {
  author,
  authorKey,
  checkOf,
  committer,
  committerKey,
  inputOf,
  ledger,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers
} from "../core/verification/Fixtures.ts"

import {
  ALL_CLAIMED,
  actBy,
  authors,
  BLOCK_DAY,
  byContract,
  claims,
  honest,
  hostile,
  read,
  recorded,
  recordedBy
} from "./SecurityAttacks.ts"

export const PEOPLE: Readonly<Record<string, () => void | Promise<void>>> = {
  "That the key's owner signed whatever the thief likes, until your authors file says `revoked`.": () => {
    const stolen = sign(encodeDagJson({ ...treeMembers, abstract: "I give it all away" }))
    assert.strictEqual(verify(inputOf(stolen, { authors: authors(`${author} Ada`) })).answers.who, "named")
    const { answers, verdict } = verify(inputOf(stolen, { authors: authors(`${author} Ada revoked=${BLOCK_DAY}`) }))
    assert.deepStrictEqual([verdict, answers.who], ["unconfirmed", "unknown"])
  },
  "Any time of signing where nothing proves one: it reads `claimed`.": () => {
    const { answers, provenance, time } = verify(inputOf(signed, { record: { ...signed.record, timestampCreated: 1 } }))
    assert.deepStrictEqual([time, provenance.time, answers.when], ["1970-01-01T00:00:01Z", "claimed", "claimed"])
  },
  "That a commit is older than the revocation, without a block of yours from before it.": async () => {
    const old = await recorded({ timestampCreated: 1 })
    const { checkpoints, ...unproven } = old
    const revoked = (day: string) => authors(`${author} Ada revoked=${day}`)
    assert.strictEqual(verify({ ...unproven, authors: revoked("2023-12-01") }).answers.who, "unknown")
    assert.strictEqual(verify({ ...old, authors: revoked("2023-11-01") }).answers.who, "unknown")
    assert.strictEqual(verify({ ...old, authors: revoked("2023-12-01") }).answers.who, "named")
  },
  "That a key with dates was good, by a time that the thief wrote.": async () => {
    const dated = { authors: authors(`${author} Ada valid-to=2023-12-31`) }
    const { checkpoints, ...unproven } = await recorded({ timestampCreated: 1_690_000_000 })
    const report = verify({ ...unproven, ...dated })
    assert.deepStrictEqual([report.verdict, report.signerName], ["unconfirmed", null])
    assert.strictEqual(verify({ ...unproven, ...dated, checkpoints }).signerName, "Ada")
  },
  "That another line of the authors file lifts a revocation.": () => {
    const lines = [`${author} Ada`, `${author.toLowerCase()} Ada revoked=2023-01-01`, `${author} Ada recorder`]
    for (const order of [lines, lines.toReversed(), lines.slice(1)]) {
      const report = verify({ ...honest, authors: authors(order.join("\n")) })
      assert.deepStrictEqual([report.verdict, report.signerName], ["unconfirmed", null])
    }
  },

  "That it recorded what it recorded: the act is the word of its own wallet.": async () => {
    const { act, verdict } = verify(await recorded({ abstract: "sold to me" }))
    assert.deepInclude(act, { message: "sold to me", by: "recorder", recorder: committer, provenance: "ledger" })
    assert.strictEqual(verdict, "valid")
  },
  "That no other commit was made: what it leaves out is not missed.": async () => {
    for (const abstract of ["first", "second"])
      assert.strictEqual(verify(await recorded({ abstract })).verdict, "valid")
  },
  "That the author signed other properties than they did.": () => {
    const changed = encodeDagJson({ ...treeMembers, license: { name: "public domain", document: null } })
    assert.strictEqual(verify({ ...honest, tree: changed }).verdict, "invalid")
    const resigned = sign(changed, { key: committerKey })
    const report = verify(inputOf(resigned))
    assert.deepStrictEqual([report.verdict, report.answers.who], ["unconfirmed", "not-the-author"])
  },
  "That the author did what it recorded: only an act that the author signed is the author's.": async () => {
    assert.strictEqual(verify(await recorded({ abstract: "I agree" })).act?.by, "recorder")
    for (const key of [committerKey, strangerKey]) {
      const report = verify(await recorded({ actSignature: actBy(key) }))
      assert.deepStrictEqual([report.verdict, report.act?.by], ["invalid", "recorder"])
    }
    const { act, verdict } = verify(await recorded({ actSignature: actBy(authorKey) }))
    assert.deepStrictEqual([verdict, act?.by, act?.provenance], ["valid", "author", "signed"])
  },
  "That an act signed for one chain, contract, time or message was signed for another.": async () => {
    const others = [
      { chainID: 10507 },
      { contract: hostile },
      { timestampCreated: 5 },
      { abstract: "no" },
      { action: "bafkqaaa" },
      { assetTreeSha256: "00".repeat(32) }
    ]
    for (const other of others) {
      const report = verify(await recorded({ actSignature: actBy(authorKey, other) }))
      assert.deepStrictEqual([report.verdict, report.act?.by], ["invalid", "recorder"], JSON.stringify(other))
    }
  },
  "Another time than the block's, once a checkpoint of yours has the block.": async () => {
    const report = verify(await recorded({ timestampCreated: 1 }))
    assert.deepStrictEqual([report.time?.slice(0, 10), report.provenance.time], [BLOCK_DAY, "ledger"])
  },

  "That a block has an event with any text and any recorder in it.": async () => {
    const report = verify(await byContract({}))
    assert.deepStrictEqual(
      [checkOf(report, "ledger-inclusion").code, checkOf(report, "ledger-contract").code],
      ["ok", "contract_not_known"]
    )
  },
  "That the recorder it names recorded anything: an unknown contract's commit is `unconfirmed` and its values are `claimed`.":
    async () => {
      const report = verify(await byContract({}))
      assert.deepStrictEqual([report.verdict, report.act?.provenance], ["unconfirmed", "claimed"])
      assert.strictEqual(checkOf(report, "committer-is-recorder").code, "recorder_not_shown")
    },
  "A proven time.": async () => {
    assert.deepStrictEqual(claims(verify(await byContract({ timestamp: 1 }))), ALL_CLAIMED)
  },
  "That it is a known contract, by the address that one has on another chain.": async () => {
    const input = await recorded({}, { place: { chainId: 10507 } })
    const elsewhere = input.checkpoints!.map((one) => ({ ...one, chainId: 10507 }))
    const report = verify({ ...input, checkpoints: elsewhere, contracts: [{ chainId: 1, contract: ledger.contract }] })
    assert.deepStrictEqual(
      [checkOf(report, "ledger-contract").code, report.verdict],
      ["contract_not_known", "unconfirmed"]
    )
  },

  "That it recorded a tree that somebody else signed, under its own name.": async () => {
    const { act, verdict } = verify(await recordedBy(stranger))
    assert.deepStrictEqual([verdict, act?.recorder, act?.by], ["valid", stranger, "recorder"])
  },
  "That its message is the author's, whatever key it signs the act with.": async () => {
    for (const named of [{}, { author: stranger }]) {
      const report = verify(
        await recordedBy(stranger, {
          abstract: "I sell all rights",
          actSignature: actBy(strangerKey, { abstract: "I sell all rights", ...named }),
          ...named
        })
      )
      assert.deepStrictEqual([report.verdict, report.act?.by], ["invalid", "recorder"])
    }
  },
  "That another wallet recorded it: the transaction's sender must be the recorder.": async () => {
    const report = verify(await recorded({}, { transaction: { key: strangerKey } }))
    assert.deepStrictEqual(
      [report.verdict, checkOf(report, "transaction-sender").code],
      ["invalid", "transaction_sender_differs"]
    )
    const named = verify(await recorded({}, { log: { recorder: stranger } }))
    assert.strictEqual(named.verdict, "invalid")
  },
  "That its record said something else than the text on the ledger, not by one digit of a number.": () => {
    const text = proofText(
      proofOf({ tree: { cid: signed.record.assetTreeCid, bytes: signed.tree }, commitData, ledger })
    )
    assert.strictEqual(verify(read(text)).verdict, "valid")
    for (const [inRecord, inText] of [
      ["9007199254740993", "9007199254740992"],
      ["1", "2"],
      ["null", "1e400"]
    ]) {
      const changed = text
        .replace(/("timestampCreated": \d+)(?=\s)/, `$1, "price": ${inRecord}`)
        .replace(/(\\"timestampCreated\\":\d+)/, `$1,\\"price\\":${inText}`)
      assert.strictEqual(checkOf(verify(read(changed)), "commit-data").code, "commit_data_differs", inRecord)
    }
  }
}
