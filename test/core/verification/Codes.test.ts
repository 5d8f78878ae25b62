/** The closed list of codes: an input for each that must lead to it. */
import { assert, describe, it } from "@effect/vitest"
import {
  CODES,
  type Inclusion,
  type LedgerPosition,
  measureAsset,
  parseAuthors,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { cidOf, DAG_PB_CODE, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import {
  type BlockParts,
  block,
  checkpointOf,
  commitData,
  commitLog,
  type LogParts,
  otherHash,
  receiptOf
} from "./Block.ts"
import {
  asset,
  author,
  codesOf,
  document,
  inputOf,
  ledger,
  proofInput,
  sign,
  signAct,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8,
  without,
  withSignature
} from "./Fixtures.ts"

const known = (line: string, input: VerifyInput = inputOf(signed)): VerifyInput => {
  const reading = parseAuthors(utf8(line))
  assert.isTrue(reading.ok)
  return { ...input, ...(reading.ok ? { authors: reading.authors } : {}) }
}

const included = await block()
const includedWith = (changes: Partial<Inclusion>, place: Partial<LedgerPosition> = {}): VerifyInput =>
  inputOf(signed, {
    commitData,
    inclusion: { ...included.inclusion, ...changes },
    ledger: { ...included.place, ...place }
  })
/** A block of one transaction with one log, which is not quite the commit's. */
const logged = async (parts: LogParts, blockParts: BlockParts = {}): Promise<VerifyInput> => {
  const receipts = [receiptOf([commitLog(parts)])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0, ...blockParts })
  return inputOf(signed, { commitData, inclusion: made.inclusion, ledger: made.place })
}
const wrongLogs = {
  inclusion_contract_differs: await logged({ address: stranger }),
  inclusion_event_differs: await logged({ event: "Transfer(address,address,uint256)" }),
  inclusion_recorder_differs: await logged({ recorder: stranger }),
  inclusion_commit_data_differs: await logged({ data: "{}" }),
  inclusion_asset_differs: await logged({ assetCid: "another" }),
  inclusion_block_number_differs: await logged({}, { number: 13 })
}
/** The commit's event in a block of one transaction that is on the ledger, with this transaction. */
const sent = async (transaction: NonNullable<BlockParts["transaction"]>): Promise<VerifyInput> => {
  const receipts = [receiptOf([commitLog()])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0, transaction })
  return inputOf(signed, {
    commitData,
    inclusion: made.inclusion,
    ledger: made.place,
    checkpoints: [checkpointOf(made)]
  })
}
const elsewhere = await (async (): Promise<VerifyInput> => {
  const contract = stranger
  const receipts = [receiptOf([commitLog({ address: contract })])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0 })
  const place = { ...made.place, contract }
  return inputOf(signed, { commitData, inclusion: made.inclusion, ledger: place, checkpoints: [checkpointOf(made)] })
})()
const transactions = {
  transaction_malformed: await sent(Uint8Array.of(2, 0xc1, 0x80)),
  transaction_type_unknown: await sent(Uint8Array.of(0x7e, 0xc1, 0x80)),
  transaction_indirect: await sent({ to: stranger }),
  transaction_sender_differs: await sent({ key: strangerKey })
}
/** The commit with the author's signature of its act at `place`. */
const acted = (place: LedgerPosition, changes: VerifyInput, signature = signAct(signed.record, place)): VerifyInput =>
  inputOf(signed, { ledger: place, record: { ...signed.record, actSignature: signature }, ...changes })
const checkedAt = (chainId: number, hash: string | undefined): VerifyInput => ({
  ...includedWith({}),
  checkpoints: [
    {
      ...checkpointOf(included),
      chainId,
      hashes: new Map(hash === undefined ? [] : [[included.place.blockNumber, hash]])
    }
  ]
})
const { chainId } = included.place

const anonymous = sign(encodeDagJson(without("creatorWallet")))
const byStranger = sign(signed.tree, { key: strangerKey })
const identity = "bafkreigzixvzu2tbxbvmvwcvlz2zwoagmb6c2q5egaq4lmd5sesyopmmx4"

describe("codes", () => {
  const { assetTreeSha256: __, ...recordWithoutSha } = signed.record
  const { assetTreeCid: ___, ...recordWithoutCid } = signed.record
  const named = (assetTreeCid: string): VerifyInput => ({
    tree: signed.tree,
    record: { ...signed.record, assetTreeCid }
  })
  const withTree = (members: Parameters<typeof encodeDagJson>[0]) => inputOf(sign(encodeDagJson(members)))
  const measured = measureAsset(asset)

  /** Every code, and an input that must lead to it. */
  const cases: { readonly [Code in keyof typeof CODES]: VerifyInput } = {
    tree_not_given: { record: { ...signed.record } },
    tree_too_large: inputOf(sign(new Uint8Array(1024 * 1024 + 1))),
    tree_not_utf8: inputOf(sign(Uint8Array.of(0x7b, 0xff, 0x7d))),
    tree_not_json: inputOf(sign(utf8("{"))),
    tree_duplicate_key: inputOf(sign(utf8('{"a":1,"a":1}'))),
    tree_too_deep: inputOf(sign(utf8(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`))),
    tree_not_object: inputOf(sign(utf8("[]"))),
    tree_member_malformed: withTree({ ...treeMembers, assetCid: [treeMembers.assetCid!] }),
    tree_sha256_not_given: { tree: signed.tree, record: recordWithoutSha },
    tree_sha256_malformed: { tree: signed.tree, record: { ...signed.record, assetTreeSha256: "12" } },
    tree_sha256_differs: inputOf({ ...signed, tree: utf8("{}") }),
    tree_cid_not_given: { tree: signed.tree, record: recordWithoutCid },
    tree_cid_malformed: named("bafybeiintegrity123"),
    tree_cid_codec: named(cidOf(DAG_PB_CODE, signed.tree)),
    tree_cid_hash: named("bafkr4ihkr4ld3m4gqkjf4reryxsy2s5tkbxprqkow6fin2iiyvreuzzab4"),
    tree_cid_differs: named(cidOf(RAW_CODE, utf8("{}"))),
    tree_cid_ambiguous: { ...inputOf(signed), treeCid: cidOf(RAW_CODE, signed.tree) },
    record_not_given: { tree: signed.tree },
    record_member_malformed: inputOf(signed, { record: { ...signed.record, author: [author] } }),
    signature_missing: withSignature(null),
    signature_malformed: withSignature("0x1234"),
    contract_wallet_signature: withSignature(`0x${"6492".repeat(96)}`),
    signature_recovery_id: withSignature(`${signed.record.assetTreeSignature.slice(0, -2)}1d`),
    signature_out_of_range: withSignature(`0x${"0".repeat(128)}1b`),
    signature_high_s: withSignature(`${signed.record.assetTreeSignature.slice(0, 66)}8${"0".repeat(63)}1b`),
    signature_unrecoverable: withSignature(`0x${"0".repeat(63)}5${"0".repeat(63)}11b`),
    signature_without_checksum: { record: { assetTreeSignature: signed.record.assetTreeSignature } },
    author_disagrees: inputOf(sign(signed.tree, { author: stranger })),
    author_malformed: withTree({ ...treeMembers, creatorWallet: 5 }),
    author_only_in_tree: { tree: signed.tree, record: { assetTreeSignature: signed.record.assetTreeSignature } },
    author_only_in_record: inputOf(anonymous),
    author_not_comparable: inputOf(sign(signed.tree, { author: identity })),
    author_absent: { tree: utf8("{}") },
    signer_unknown: withSignature("0x"),
    signer_not_author: inputOf(byStranger),
    author_not_address: inputOf(sign(encodeDagJson(without("creatorWallet")), { author: identity })),
    author_not_named: { tree: anonymous.tree, record: { assetTreeSignature: anonymous.record.assetTreeSignature } },
    signer_named_instead: inputOf(byStranger, { expectedAuthor: stranger }),
    expected_author_not_given: inputOf(signed),
    expected_author_malformed: inputOf(signed, { expectedAuthor: "ada" }),
    expected_author_differs: inputOf(signed, { expectedAuthor: stranger }),
    authors_not_given: inputOf(signed),
    authors_empty: known("# nobody yet"),
    signer_not_listed: known(`${stranger} Bob`),
    authors_roles_only: known(`${stranger} Bob witness`),
    signer_not_yet_valid: known(`${author} Ada valid-from=2023-11-15`, checkedAt(chainId, included.place.blockHash)),
    signer_expired: known(`${author} Ada valid-to=2023-11-13`, checkedAt(chainId, included.place.blockHash)),
    signer_revoked: known(`${author} Ada revoked=2030-01-01 reason="lost"`),
    signing_time_unknown: {
      ...known(`${author} Ada valid-to=2030-01-01`),
      record: { assetTreeSignature: signed.record.assetTreeSignature }
    },
    signing_time_claimed: known(`${author} Ada valid-from=2023-01-01`),
    act_signature_not_given: inputOf(signed),
    act_place_unknown: acted(ledger, { ledger: undefined }),
    act_signature_malformed: acted(ledger, {}, "0x12"),
    act_signature_differs: acted({ ...ledger, chainId: 1 }, { ledger }),
    commit_data_not_given: inputOf(signed),
    commit_data_not_json: inputOf(signed, { commitData: "{" }),
    commit_data_differs: inputOf(signed, { commitData: document.commit.commitData.replace("Action", "action") }),
    recorder_not_given: inputOf(signed),
    committer_not_address: inputOf({ ...signed, record: { ...signed.record, committer: identity } }, { ledger }),
    committer_differs: inputOf(signed, { ledger: { ...ledger, recorder: stranger } }),
    ledger_not_given: inputOf(signed),
    inclusion_not_given: inputOf(signed, { ledger }),
    inclusion_left_out: inputOf(signed, { ledger, inclusionMissing: "The node is away." }),
    inclusion_malformed: includedWith({ header: new Uint8Array(3) }),
    inclusion_header_differs: includedWith({}, { blockHash: otherHash }),
    inclusion_path_broken: includedWith({ transactionIndex: 0 }),
    inclusion_log_absent: includedWith({ logPosition: 2 }),
    ...wrongLogs,
    inclusion_asset_unknown: { ...includedWith({}), tree: encodeDagJson(without("assetCid")) },
    inclusion_log_index_differs: includedWith({}, { logIndex: 0 }),
    block_not_compared: includedWith({}),
    checkpoint_without_inclusion: { ...checkedAt(chainId, undefined), inclusion: undefined },
    checkpoint_chain_absent: checkedAt(chainId + 1, undefined),
    checkpoint_block_absent: checkedAt(chainId, undefined),
    checkpoint_block_differs: checkedAt(chainId, otherHash),
    transaction_not_shown: includedWith({ transaction: undefined }),
    transaction_block_not_compared: includedWith({}),
    recorder_not_shown: elsewhere,
    contract_not_known: elsewhere,
    checkpoint_quorum_missing: { ...checkedAt(chainId, included.place.blockHash), quorum: 1 },
    ...transactions,
    transaction_path_broken: includedWith({ transaction: included.inclusion.receipt }),
    transaction_differs: includedWith({}, { txHash: otherHash }),
    asset_not_given: inputOf(signed),
    asset_sha256_not_named: { ...withTree(without("assetSha256")), asset: measured },
    asset_sha256_malformed: { ...withTree({ ...treeMembers, assetSha256: "abc123def456" }), asset: measured },
    asset_sha256_differs: inputOf(signed, { asset: measureAsset(utf8("another")) }),
    asset_cid_not_named: { ...withTree(without("assetCid")), asset: measured },
    asset_cid_not_comparable: { ...withTree({ ...treeMembers, assetCid: "bafybei123" }), asset: measured },
    asset_cid_differs: inputOf(signed, { asset: measureAsset(utf8("another")) }),
    asset_not_tied: { ...withTree({ ...without("assetSha256"), assetCid: "bafybei123" }), asset: measured }
  }

  for (const [code, input] of Object.entries(cases)) {
    it(`${code} is reached, with its outcome and what it leads to`, () => {
      const report = verify(input)
      const check = report.checks.find((one) => one.code === code)
      assert.isDefined(check)
      const { outcome, leadsTo } = CODES[code as keyof typeof CODES]
      assert.strictEqual(check?.outcome, outcome)
      if (leadsTo === "invalid") assert.strictEqual(report.verdict, "invalid")
      if (leadsTo === "unconfirmed") assert.notStrictEqual(report.verdict, "valid")
    })
  }

  it("that lead to nothing leave a proof valid", () => {
    const outcomes = verify(proofInput()).checks.flatMap(({ code }) => (code === "ok" ? [] : [CODES[code].leadsTo]))
    assert.isAbove(outcomes.length, 0)
    assert.deepStrictEqual([...new Set(outcomes)], ["nothing"])
  })

  it("of a valid report never name a failure", () => {
    for (const input of Object.values(cases)) {
      const report = verify(input)
      if (report.verdict === "valid") assert.deepStrictEqual(codesOf(report), [])
    }
  })
})
