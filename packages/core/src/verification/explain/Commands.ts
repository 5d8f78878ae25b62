/**
 * The commands that do what a check does, with tools that people have. Each reads the files that were given; what it prints is said where it is
 * known here. Values of strangers are printed as JSON in ASCII (jq -a), so that they cannot steer the terminal.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { isSha256Text } from "../../asset-tree/Checksum.ts"
import { cidOfSha256, DAG_JSON_CODE, DAG_PB_CODE, parseCid, RAW_CODE, SHA2_256_CODE } from "../../asset-tree/Cid.ts"
import { canonicalSignature } from "../../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../../identity/Eip55.ts"
import type { JsonValue } from "../../json/JsonValue.ts"
import { type JsonObject, textMember } from "../../json/JsonValue.ts"
import type { CheckName } from "../Codes.ts"
import { type Evidence, signerOf } from "../Evidence.ts"
import { commitData as compareCommitData } from "../LedgerChecks.ts"
import { malformedMember, RECORD_MEMBERS } from "../RecordChecks.ts"
import { namedTreeCids } from "../TreeChecks.ts"
import { actCommands } from "./ActCommands.ts"
import type { ExplainedCommand, FileNames } from "./Explanation.ts"
import { contractCommands, inclusionCommands, senderCommands, transactionCommands } from "./LedgerCommands.ts"
import { command, fromFile, hexWord, printfBytes } from "./Shell.ts"
import { personalDigest } from "./SignedOtherwise.ts"
import { checkpointCommands, eventCommands, walletCommands } from "./TrustCommands.ts"

type Commands = ReadonlyArray<ExplainedCommand>

/** The commands for `check`; none where there is nothing to run them on. */
export const commandsFor = (check: CheckName, evidence: Evidence, names: FileNames): Commands =>
  COMMANDS[check](evidence, names)

const treeJson = ({ input, tree }: Evidence, names: FileNames): Commands =>
  input.tree === undefined
    ? []
    : [command("jq", treePipe(names, "jq -r type"), tree?.problem === undefined ? "object" : undefined)]

const treeSha256 = ({ tree }: Evidence, names: FileNames): Commands =>
  tree === undefined
    ? []
    : [
        command("sha256sum", [...treePipe(names, "sha256sum"), "cut -c1-64"], tree.sha256),
        command("openssl", [...treePipe(names, "openssl dgst -sha256 -r"), "cut -c1-64"], tree.sha256)
      ]

const treeCid = (evidence: Evidence, names: FileNames): Commands => {
  const [named] = namedTreeCids(evidence)
  const { tree } = evidence
  const codec = named === undefined ? undefined : parseCid(named)?.codec
  if (tree === undefined || (codec !== RAW_CODE && codec !== DAG_JSON_CODE)) return []
  const cid = cidOfSha256(codec, hexToBytes(tree.sha256))
  const add = treePipe(names, "ipfs add --only-hash --quieter --cid-version 1 --raw-leaves --chunker size-1048576")
  return [
    command("base32", [...treePipe(names, cidBytes(codec)), ...BASE32], cid),
    command("ipfs", codec === RAW_CODE ? add : [...add, "ipfs cid format -v 1 --mc dag-json"], cid)
  ]
}

const recordMembers = ({ input: { record } }: Evidence, names: FileNames): Commands => {
  if (record === undefined || names.tree !== undefined || names.record !== undefined) return []
  const kinds = Object.entries(RECORD_MEMBERS).map(([kind, members]) => {
    const type = kind === "text" ? "string" : kind
    return `([${members.map((member) => `.${member}`).join(", ")}] | all(. == null or type == "${type}"))`
  })
  const holds = malformedMember(record, RECORD_MEMBERS) === undefined
  return [command("jq", [`jq '.commit.record | ${kinds.join(" and ")}' ${proofFile(names)}`], String(holds))]
}

const signature = (evidence: Evidence): Commands => {
  const checksum = hexWord(evidence.checksum, 32, "")
  if (checksum === undefined) return []
  const digest = `0x${bytesToHex(personalDigest(checksum))}`
  const hash = command("cast", [`cast hash-message ${checksum}`], digest, { note: "the digest that was signed" })
  const isContracts = evidence.recovery?.ok === false && evidence.recovery.code === "contract_wallet_signature"
  return [hash, ...(isContracts ? walletCommands(evidence) : signedBy(evidence, signerOf(evidence)))]
}

/** Asks whether `address` signed the checksum; what is printed is known when that is the signer. */
const signedBy = (evidence: Evidence, address: string | undefined): Commands => {
  const checksum = hexWord(evidence.checksum, 32, "")
  const signed = evidence.signature
  if (checksum === undefined || signed === undefined || address === undefined || !isAddressText(address)) return []
  if (evidence.recovery?.ok !== true) return []
  const person = toEip55(address)
  const prints = person === signerOf(evidence) ? verified(person) : undefined
  const note = prints === undefined ? { note: "it fails: this address did not sign" } : {}
  return [
    command("cast", [`cast wallet verify --address ${person} ${checksum} ${canonicalSignature(signed)}`], prints, note)
  ]
}

const verified = (address: string): string => `Validation succeeded. Address ${address} signed this message.`

const authorAgrees = ({ tree, input }: Evidence, names: FileNames): Commands => [
  ...memberCommand(tree?.members, "creatorWallet", treePipe(names, "jq -a .creatorWallet")),
  ...recordMember(input.record, "author", names)
]

const committerIsRecorder = ({ input }: Evidence, names: FileNames): Commands =>
  input.ledger === undefined
    ? []
    : [
        ...recordMember(input.record, "committer", names),
        command("jq", [`jq -a .ledger.recorder ${proofFile(names)}`], JSON.stringify(input.ledger.recorder))
      ]

const recordMember = (record: JsonObject | undefined, name: string, names: FileNames): Commands => {
  if (names.record !== undefined) {
    return memberCommand(record, name, [`jq -a '(.commit // .).${name}' ${fromFile(names.record, "commit.json")}`])
  }
  return names.tree === undefined
    ? memberCommand(record, name, [`jq -a .commit.record.${name} ${proofFile(names)}`])
    : []
}

const memberCommand = (object: JsonObject | undefined, name: string, steps: ReadonlyArray<string>): Commands =>
  object === undefined ? [] : [command("jq", steps, asciiText(Object.hasOwn(object, name) ? object[name]! : null))]

/** What `jq -a` prints for a text or null; other values are laid out in its own way. */
const asciiText = (value: JsonValue): string | undefined =>
  value === null || typeof value === "string"
    ? JSON.stringify(value).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : undefined

const signerNamed = (evidence: Evidence, names: FileNames): Commands => {
  const signer = hexWord(signerOf(evidence), 20, "0x")
  return names.authors === undefined || signer === undefined
    ? []
    : [
        command("grep", [`grep -i ${signer} ${fromFile(names.authors, "authors.txt")}`], undefined, {
          note: evidence.input.authors?.has(signer)
            ? "the lines that name the key, with its days"
            : "it fails: no line names the key"
        })
      ]
}

/** What jq prints is said only where it is known: it rounds numbers, takes the last of a key's values, and stops at what is no JSON. */
const commitData = (evidence: Evidence, names: FileNames): Commands => {
  const { input } = evidence
  if (input.commitData === undefined || input.record === undefined || names.tree !== undefined) return []
  const proof = proofFile(names)
  const compare = [`jq '.commit.record == (.commit.commitData | fromjson)' ${proof}`]
  const { code } = compareCommitData(evidence)
  if (code === "ok") return [command("jq", compare, "true")]
  if (code !== "commit_data_differs") {
    return [
      command("jq", [`jq -a .commit.commitData ${proof}`], undefined, {
        note: "the text, which is not one JSON object"
      })
    ]
  }
  return isDifferentToJq(input.record, input.commitData)
    ? [command("jq", compare, "false")]
    : [
        command("grep", [`grep -oE '[:,[] *-?[0-9][0-9.eE+-]{14,}' ${proof}`], undefined, {
          note: "the long numbers of both, with all their digits: jq would round them before it compares"
        })
      ]
}

/** Whether the two differ even where every number is rounded to a double, as jq does. */
const isDifferentToJq = (record: JsonObject, text: string): boolean => {
  try {
    return sortedText(JSON.parse(text)) !== sortedText(record)
  } catch {
    return true
  }
}

/** JSON with its keys in one order; what is too large for a double is the largest one, as it is to jq. */
const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "number" && !Number.isFinite(part)) return Math.sign(part) * Number.MAX_VALUE
    return typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part
  })

const assetSha256 = ({ input: { asset }, tree }: Evidence, names: FileNames): Commands => {
  if (asset === undefined) return []
  const file = assetFile(names)
  const named = hexWord(textMember(tree?.members, "assetSha256")?.toLowerCase(), 32, "")
  return [
    command("sha256sum", [`sha256sum ${file}`, "cut -c1-64"], asset.sha256),
    command("openssl", [`openssl dgst -sha256 -r ${file}`, "cut -c1-64"], asset.sha256),
    ...(named === undefined ? [] : [sameFileCommand(file, named, named === asset.sha256)])
  ]
}

/** The answer in words, for whoever would rather not compare digits. */
const sameFileCommand = (file: string, named: string, isSame: boolean): ExplainedCommand =>
  command(
    "sha256sum",
    [`test "$(sha256sum ${file} | cut -c1-64)" = ${named} && echo same file || echo another file`],
    isSame ? "same file" : "another file"
  )

const assetCid = ({ input: { asset }, tree }: Evidence, names: FileNames): Commands => {
  const named = textMember(tree?.members, "assetCid")
  const cid = named === undefined ? undefined : parseCid(named)
  if (asset === undefined || cid === undefined || cid.hash !== SHA2_256_CODE || !isSha256Text(asset.sha256)) return []
  if (cid.codec === RAW_CODE) {
    return [command("base32", [`${cidBytes(RAW_CODE)} ${assetFile(names)}`, ...BASE32], asset.rawCid)]
  }
  const add = `ipfs add --only-hash --quieter --cid-version 1 --raw-leaves --chunker size-262144 ${assetFile(names)}`
  return cid.codec === DAG_PB_CODE
    ? [command("ipfs", [add], asset.unixfsCid, { note: "the file's CID in the usual way of cutting it" })]
    : []
}

const proofFile = (names: FileNames): string => fromFile(names.proof, "proof.json")
const assetFile = (names: FileNames): string => fromFile(names.asset, "asset")

/** The tree's bytes into `tool`: out of the proof, or from the tree's own file. */
const treePipe = (names: FileNames, tool: string): ReadonlyArray<string> =>
  names.tree === undefined
    ? [`jq -r .tree.bytes ${proofFile(names)}`, "base64 -d", tool]
    : [`${tool} ${fromFile(names.tree, "tree.json")}`]

/** The bytes of a CIDv1: version, codec, sha256, length, hash (https://github.com/multiformats/cid). */
const cidBytes = (codec: number): string => {
  const head = codec === RAW_CODE ? [1, 0x55, 0x12, 32] : [1, 0xa9, 0x02, 0x12, 32]
  return `{ ${printfBytes(head)}; openssl dgst -sha256 -binary; }`
}

const BASE32 = ["base32 -w 0", "tr -d =", "tr A-Z a-z", "sed s/^/b/"]

const COMMANDS: Readonly<Record<CheckName, (evidence: Evidence, names: FileNames) => Commands>> = {
  "tree-json": treeJson,
  "tree-sha256": treeSha256,
  "tree-cid": treeCid,
  "record-members": recordMembers,
  signature,
  "author-agrees": authorAgrees,
  "signer-is-author": (evidence) => signedBy(evidence, evidence.treeAuthor ?? evidence.recordAuthor),
  "expected-author": (evidence) => signedBy(evidence, evidence.input.expectedAuthor),
  "signer-named": signerNamed,
  "act-signature": actCommands,
  "commit-data": commitData,
  "committer-is-recorder": committerIsRecorder,
  "ledger-inclusion": (evidence, names) => [
    ...inclusionCommands(evidence, names),
    ...checkpointCommands(evidence, names)
  ],
  "ledger-contract": (evidence, names) => [...contractCommands(evidence, names), ...eventCommands(evidence, names)],
  "ledger-transaction": transactionCommands,
  "transaction-sender": senderCommands,
  "asset-sha256": assetSha256,
  "asset-cid": assetCid
}
