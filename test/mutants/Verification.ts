/** What a reader of a proof is made to believe. */
import type { Mutant } from "./Mutant.ts"

const V = "core/src/verification"
const INCLUSION = "core/verification/Inclusion"
const AUTHORS = "core/verification/Authors"
const CONTRACTS = "core/verification/Contracts"
const WITNESSES = "core/verification/Witnesses"
const VERIFY = "core/verification/Verify"

export const VERIFICATION: ReadonlyArray<Mutant> = [
  {
    what: "a failed check leaves a proof valid",
    file: `${V}/Report.ts`,
    from: 'if (consequences.includes("invalid")) return "invalid"',
    to: 'if (consequences[0] === "invalid") return "invalid"',
    in: "core/verification/Mutations",
    test: "any change of any one byte of the tree"
  },
  {
    what: "a tree that was changed has the checksum that was signed",
    file: `${V}/TreeChecks.ts`,
    from: "return tree.sha256 === namedSha256 ?",
    to: "return tree.sha256 !== undefined ?",
    in: "core/verification/Codes",
    test: "tree_sha256_differs is reached"
  },
  {
    what: "the CID of other bytes passes for the tree's",
    file: `${V}/TreeChecks.ts`,
    from: "bytesToHex(cid.digest) === digest ?",
    to: "bytesToHex(cid.digest) !== '' ?",
    in: VERIFY,
    test: "signed the checksum, and no CID that belongs to other bytes"
  },
  {
    what: "a tree that somebody else signed is its author's",
    file: `${V}/AuthorChecks.ts`,
    from: "if (author === signer) return passed(name, compared)",
    to: "if (author !== undefined) return passed(name, compared)",
    in: VERIFY,
    test: "whose tree somebody else signed is unconfirmed"
  },
  {
    what: "anybody counts as the author that --author names",
    file: `${V}/AuthorChecks.ts`,
    from: "isAddressText(input.expectedAuthor) && toEip55(input.expectedAuthor) === signer",
    to: "isAddressText(input.expectedAuthor)",
    in: VERIFY,
    test: "is not confirmed by a signature of somebody else"
  },
  {
    what: "a record names another author than the signed tree, and passes",
    file: `${V}/AuthorChecks.ts`,
    from: "if (treeAuthor === recordAuthor) return passed(name, compared)",
    to: "if (treeAuthor !== undefined) return passed(name, compared)",
    in: VERIFY,
    test: "is read from the signed tree, not from the record"
  },
  {
    what: "another photo passes for the one that was signed",
    file: `${V}/AssetChecks.ts`,
    from: "return expected === input.asset.sha256 ? passed",
    to: "return expected !== undefined ? passed",
    in: "core/verification/AssetMeter",
    test: "of several chunks passes by its UnixFS CID"
  },
  {
    what: "a file passes because its sha256 stands in a UnixFS CID",
    file: `${V}/AssetChecks.ts`,
    from: "left.codec === right.codec && left.hash === right.hash && isSameBytes",
    to: "left.hash === right.hash || isSameBytes",
    in: "core/verification/AssetMeter",
    test: "is never the node that the UnixFS CID names"
  },
  {
    what: "the ledger vouches for a record that is not the text on it",
    file: `${V}/Verify.ts`,
    from: 'record: recordIsText.outcome === "pass"',
    to: 'record: recordIsText.outcome !== "skipped"',
    in: "core/verification/Acts",
    test: "is the ledger's word only when the record is the text on the ledger"
  },
  {
    what: "a block of another chain stands for the one that a checkpoint has",
    file: `${V}/Witnesses.ts`,
    from: "checkpoint.chainId === chainId && checkpoint.hashes.get(blockNumber) === blockHash.toLowerCase()",
    to: "checkpoint.hashes.get(blockNumber) === blockHash.toLowerCase()",
    in: WITNESSES,
    test: "are only those whose checkpoint has this very block of this chain"
  },
  {
    what: "one witness who signs twice is two",
    file: `${V}/Witnesses.ts`,
    from: "const signers = [...new Set(having.flatMap(signersOf))]",
    to: "const signers = [...having.flatMap(signersOf)]",
    in: WITNESSES,
    test: "is met by so many different signers"
  },
  {
    what: "a witness whose key is revoked counts",
    file: `${V}/Witnesses.ts`,
    from: "(signer) => revocationOf(authors, signer) === undefined",
    to: "() => true",
    in: WITNESSES,
    test: "counts only the witnesses that the authors file names"
  },
  {
    what: "any contract's word for who recorded a commit is believed",
    file: `${V}/ContractChecks.ts`,
    from: "if (isAmong(known, place) ||",
    to: "if (known.length > 0 ||",
    in: CONTRACTS,
    test: "proves nothing about who recorded a commit"
  },
  {
    what: "a transaction that somebody else sent is the recorder's",
    file: `${V}/ContractChecks.ts`,
    from: "if (found !== compared.expected) return",
    to: "if (found === '') return",
    in: CONTRACTS,
    test: "that is another than the recorder makes the proof invalid"
  },
  {
    what: "an invented block counts as the ledger",
    file: `${V}/InclusionChecks.ts`,
    from: 'if (!isAsked) return stopped(name, "block_not_compared", compared)',
    to: "if (!isAsked) return passed(name, compared)",
    in: INCLUSION,
    test: "does not pass without a checkpoint"
  },
  {
    what: "a checkpoint that has another block at its number is passed over",
    file: `${V}/InclusionChecks.ts`,
    from: "const other = hashes.find((hash) => hash !== blockHash.toLowerCase())",
    to: "const other = hashes.find((hash) => hash === '')",
    in: INCLUSION,
    test: "is invalid when any checkpoint has another block at its number"
  },
  {
    what: "the header of another block is taken",
    file: `${V}/InclusionProof.ts`,
    from: "if (header.hash !== place.blockHash.toLowerCase()) {",
    to: "if (header.hash === '') {",
    in: INCLUSION,
    test: "with another block's header, number or hash is invalid"
  },
  {
    what: "a receipt that is not in the block is taken",
    file: `${V}/InclusionProof.ts`,
    from: "return found !== undefined && isSameBytes(found, value)",
    to: "return found !== undefined",
    in: INCLUSION,
    test: "with reordered logs, or a receipt that is not in the trie"
  },
  {
    what: "the event of another contract is taken",
    file: `${V}/InclusionProof.ts`,
    from: "if (contract !== place.contract.toLowerCase()) return",
    to: "if (contract === '') return",
    in: INCLUSION,
    test: "of another contract's, event's, sender's, asset's or text's log"
  },
  {
    what: "the event of another recorder is taken",
    file: `${V}/InclusionProof.ts`,
    from: "if (topics.recorder !== recorder) {",
    to: "if (topics.recorder === '') {",
    in: INCLUSION,
    test: "of another contract's, event's, sender's, asset's or text's log"
  },
  {
    what: "the event with another text is taken",
    file: `${V}/InclusionProof.ts`,
    from: "!isSameBytes(log.data, eventData(event.commitData))",
    to: "log.data.length === 0",
    in: INCLUSION,
    test: "of another contract's, event's, sender's, asset's or text's log"
  },
  {
    what: "a committer who is not the recorder is believed",
    file: `${V}/LedgerChecks.ts`,
    from: "if (isAddress && compared.actual !== committer) return",
    to: "if (isAddress && compared.actual === '') return",
    in: CONTRACTS,
    test: "does not hide a committer that is another"
  },
  {
    what: "numbers that differ where doubles do not are the same",
    file: `${V}/LedgerChecks.ts`,
    from: "differingMember(text, recordText ?? JSON.parse(JSON.stringify(record, finite)))",
    to: "differingMember(JSON.stringify(JSON.parse(text)), JSON.stringify(record, finite))",
    in: "verify/HostileProofs",
    test: "9007199254740993 for 9007199254740992 is invalid"
  },
  {
    what: "an expired key is good at a time that its thief wrote",
    file: `${V}/NamedSigner.ts`,
    from: 'if (!time.isProven) return "signing_time_claimed"',
    to: "",
    in: AUTHORS,
    test: "whose key has dates is unconfirmed while the time is only claimed"
  },
  {
    what: "a revoked key is trusted for what its thief dates back",
    file: `${V}/NamedSigner.ts`,
    from: "!(time?.isProven === true && time.seconds < revoked.at)",
    to: "!(time !== undefined && time.seconds < revoked.at)",
    in: AUTHORS,
    test: "whose key is revoked is trusted only for what the ledger shows"
  },
  {
    what: "a key is good in the second in which it ends",
    file: `${V}/NamedSigner.ts`,
    from: "time.seconds >= until ?",
    to: "time.seconds > until ?",
    in: AUTHORS,
    test: "outside of the dates is unconfirmed, to the second"
  },
  {
    what: "a stranger's commit is the author's act",
    file: `${V}/ActFinding.ts`,
    from: "return recovery.signer === author",
    to: "return recovery.ok",
    in: "core/verification/Acts",
    test: "that was changed in any of its parts after it was signed"
  },
  {
    what: "a member of the wrong type counts as absent",
    file: `${V}/RecordChecks.ts`,
    from: "value === undefined || value === null || typeof value === type",
    to: "true",
    in: VERIFY,
    test: "never taken for absent, and null is not given"
  },
  {
    what: "a checkpoint that was changed after it was signed is taken",
    file: "core/src/proof/Checkpoint.ts",
    from: "if (recovery.ok && recovery.signer === signer) continue",
    to: "if (recovery.ok) continue",
    in: "core/proof/Checkpoint",
    test: "that says something else than what was signed"
  },
  {
    what: "a node of a trie that was changed leads on",
    file: "core/src/proof/TriePath.ts",
    from: "node !== undefined && isSameBytes(keccak_256(node), hash) ? node : undefined",
    to: "node",
    in: "core/proof/TriePath",
    test: "is broken by any byte changed in any node"
  },
  {
    what: "a key that stands twice in a file is read by its last value here and its first elsewhere",
    file: "core/src/json/StrictReader.ts",
    from: "if (Object.hasOwn(container, key)) {",
    to: "if (key === null) {",
    in: "core/json/ReadJson",
    test: "are refused when a key occurs twice"
  },
  {
    what: "a longer form of a length is read in a CAR",
    file: "verify/src/car/Varint.ts",
    from: 'return byte === 0 && index > 0 ? "wrong" : {',
    to: "return {",
    in: "verify/CarReading",
    test: "is read in its shortest form only"
  },
  {
    what: "a CAR's header may be as long as it likes",
    file: "verify/src/car/CarFormat.ts",
    from: 'length === "wrong" || length.value > HEADER_LIMIT',
    to: 'length === "wrong"',
    in: "verify/CarReading",
    test: "over 4,096 bytes is refused by its length"
  },
  {
    what: "a proof that changed since it was hashed is believed",
    file: "verify/src/history/CarHistory.ts",
    from: "held.isWhole && isBlockOf(held.cid, bytes, sha256) === true",
    to: "held.isWhole",
    in: "verify/CarReading",
    test: "hashes a proof again when it reads it"
  }
]
