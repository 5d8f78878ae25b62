/**
 * Files made to hurt, mislead or confuse whoever reads proofs, for every door alike: what attacks and first contacts found, every member of a proof with
 * something of the wrong kind or size, other kinds of files, and files that are cut. Made when asked for, so that only one is held at a time.
 */
import { gzipSync } from "node:zlib"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { checkpointText } from "../../packages/core/src/proof/CheckpointFile.ts"
import { inclusionDocument } from "../../packages/core/src/proof/Inclusion.ts"
import { proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import { proofPage } from "../../packages/verify/src/ProofPage.ts"
import { STATEMENT } from "../core/statement/StatementFixture.ts"
import { block } from "../core/verification/Block.ts"
import {
  author,
  document,
  ledger,
  proofFile,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8
} from "../core/verification/Fixtures.ts"
import { crafted } from "./Oversized.ts"

export interface HostileFile {
  readonly name: string
  readonly bytes: () => Uint8Array
}

const made = await block()
const whole = { ...document, ledger: { ...made.place, inclusion: inclusionDocument(made.inclusion) } }
const text = (content: string) => () => utf8(content)
const json = (content: unknown) => () => utf8(JSON.stringify(content))

const ofTree =
  (members: object, changes: object = {}, key?: Uint8Array) =>
  () => {
    const commit = sign(encodeDagJson({ ...treeMembers, ...members } as never), key === undefined ? {} : { key })
    const record = { ...commit.record, ...changes }
    const tree = { cid: commit.record.assetTreeCid, bytes: commit.tree }
    return utf8(proofText(proofOf({ tree, commitData: JSON.stringify(record), ledger })))
  }

/** What was found, by its number. */
const FOUND: ReadonlyArray<HostileFile> = [
  { name: "2 another contract", bytes: json({ ...whole, ledger: { ...whole.ledger, contract: stranger } }) },
  { name: "2 another recorder", bytes: json({ ...whole, ledger: { ...whole.ledger, recorder: stranger } }) },
  { name: "3 a revocation and a line more", bytes: text(`${author} Ada revoked=2020-01-01\n${author} Ada\n`) },
  {
    name: "4 a dag-pb CID alone",
    bytes: ofTree({ assetCid: "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG", assetSha256: null })
  },
  { name: "5 a time of the thief's choice", bytes: ofTree({}, { timestampCreated: 1 }) },
  { name: "6 a statement with a note", bytes: json({ ...STATEMENT, note: "refund 100" }) },
  ...["author", "committer", "assetTreeSha256", "assetTreeCid", "assetTreeSignature", "action", "actSignature"].flatMap(
    (name) =>
      [["0x"], 5, {}, true, 1e300].map((value) => ({
        name: `7 ${name} of the wrong type: ${JSON.stringify(value)}`,
        bytes: ofTree({}, { [name]: value })
      }))
  ),
  {
    name: "8 numbers beyond 2^53",
    bytes: () => utf8(proofFile.replace('"timestampCreated": 1700000001', '"timestampCreated": 9007199254740993'))
  },
  { name: "11 an asset's CID that is none", bytes: ofTree({ assetCid: "bafk…" }) },
  { name: "12 a stranger's act", bytes: ofTree({}, { committer: stranger, abstract: "I sell all rights" }) },
  {
    name: "14 a made-up name",
    bytes: ofTree({ assetCreator: "Rachel Michetti", creatorWallet: stranger }, { author: stranger }, strangerKey)
  },
  { name: "16 a contract wallet's signature", bytes: ofTree({}, { assetTreeSignature: `0x${"ab".repeat(300)}` }) },
  {
    name: "16 an ERC-6492 suffix",
    bytes: ofTree({}, { assetTreeSignature: `0x${"ab".repeat(96)}${"6492".repeat(16)}` })
  },
  {
    name: "terminal escapes",
    bytes: ofTree({ headline: "\u001b[2J\u202e", assetCreator: "\u009b31m" }, { abstract: "\u001b]0;x\u0007" })
  },
  ...crafted.map(({ text: proof, title }) => ({ name: title, bytes: () => utf8(proof()) }))
]

const PAGE = '<!doctype html><script type="application/json" id="embedded-proof">null</script>'
export const pageOf = (proof: Uint8Array): string => proofPage(PAGE, proof, "x.proof.json")

const page = pageOf(utf8(proofFile))
const latin1 = (content: string) => () => Uint8Array.from(content, (character) => character.charCodeAt(0))

/** Other files than are wanted. */
const KINDS: ReadonlyArray<HostileFile> = [
  { name: "nothing", bytes: () => new Uint8Array() },
  { name: "blanks", bytes: text(" \n\t ") },
  { name: "a JPEG", bytes: latin1(`\xff\xd8\xff\xe0\0\x10JFIF\0${"\0".repeat(500)}`) },
  { name: "a PNG", bytes: latin1(`\x89PNG\r\n\x1a\n${"\0".repeat(500)}`) },
  { name: "a HEIC", bytes: latin1(`\0\0\0\x18ftypheic${"\0".repeat(500)}`) },
  { name: "an MP4", bytes: latin1(`\0\0\0\x18ftypisom${"\0".repeat(500)}`) },
  { name: "a PDF", bytes: latin1("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n") },
  { name: "a zip", bytes: latin1("PK\x03\x04\x14\0") },
  { name: "a gzip bomb", bytes: () => new Uint8Array(gzipSync(Buffer.alloc(4 * 1024 * 1024))) },
  { name: "a CAR", bytes: latin1("\x11\xa2\x65roots\x80\x67version\x01") },
  { name: "a CAR of version 2", bytes: latin1("\x0a\xa1\x67version\x02") },
  { name: "a tree", bytes: () => signed.tree },
  { name: "a record", bytes: json(signed.record) },
  {
    name: "a checkpoint",
    bytes: text(checkpointText({ chainId: 1, hashes: new Map([[1, `0x${"ab".repeat(32)}`]]) } as never))
  },
  { name: "a statement", bytes: json(STATEMENT) },
  { name: "an authors file", bytes: text(`# mine\n${author} Ada\n`) },
  {
    name: "an index of a history",
    bytes: json({ mediaType: "application/vnd.treemark.history+json;version=1", assetCid: "b", commits: [] })
  },
  { name: "a web page", bytes: text("<!doctype html><title>404</title><p>Not found") },
  { name: "an SVG", bytes: text("<svg xmlns='http://www.w3.org/2000/svg'/>") },
  { name: "our page without a proof", bytes: text(PAGE) },
  { name: "our page with a proof", bytes: text(page) },
  { name: "our page with two proofs", bytes: text(page + page) },
  { name: "our page with a comment that holds another", bytes: text(`<!--${page}-->${page}`) },
  { name: "our page, cut", bytes: text(page.slice(0, -40)) },
  { name: "our page with broken base64", bytes: text(page.replace('"proof":"', '"proof":"%%')) },
  { name: "our page with another value in its place", bytes: text(PAGE.replace("null", "[1,2]")) },
  { name: "our page with a deep value in its place", bytes: text(PAGE.replace("null", "[".repeat(200_000))) },
  { name: "a page of opening brackets", bytes: text("<".repeat(1_000_000)) },
  {
    name: "a page of opening scripts",
    bytes: text('<script type="application/json" id="embedded-proof"'.repeat(20_000))
  },
  { name: "UTF-16", bytes: () => new Uint8Array(Buffer.from(`\ufeff${proofFile}`, "utf16le")) },
  { name: "a byte order mark", bytes: text(`\ufeff${proofFile}`) },
  { name: "bytes of every value", bytes: () => Uint8Array.from({ length: 4096 }, (_, at) => (at * 151) & 255) },
  { name: "NULs", bytes: () => new Uint8Array(4096) },
  { name: "half a surrogate", bytes: text(proofFile.replace("Ada", "\\ud800")) },
  { name: "a list", bytes: text("[1,2]") },
  { name: "a text", bytes: text('"photo"') },
  { name: "a key twice", bytes: text(proofFile.replace("{", '{"tree":{},')) },
  { name: "keys of the prototype", bytes: text(proofFile.replace("{", '{"__proto__":{"a":1},"constructor":1,')) },
  { name: "a later version", bytes: text(proofFile.replace("version=1", "version=2")) },
  { name: "the path of a file", bytes: text("photo.proof.json") },
  ...["[", '{"a":'].map((open) => ({ name: `depth of ${open}`, bytes: text(open.repeat(200_000)) })),
  ...[0.1, 0.5, 0.9, 0.999].map((part) => ({
    name: `cut at ${part}`,
    bytes: text(proofFile.slice(0, Math.floor(proofFile.length * part)))
  }))
]

/** Paths of all members of a value, to a leaf. */
const pathsIn = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? [
        ...(at.length === 0 ? [] : [at]),
        ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...at, name]))
      ]
    : [at]

const FILLINGS: Readonly<Record<string, string>> = {
  null: "null",
  "another type": '{"a":[true]}',
  "a number without end": "1e400",
  "a list of 20,000": `[${"1,".repeat(20_000)}1]`,
  "a text of 60,000": `"0x${"00".repeat(30_000)}"`,
  "60 levels": `${"[".repeat(58)}${"]".repeat(58)}`
}

/** Every member of `example` in its turn with something else in its place. */
const filledIn = (what: string, example: object): ReadonlyArray<HostileFile> =>
  pathsIn(example).flatMap((path) =>
    Object.entries(FILLINGS).map(([filling, value]) => ({
      name: `${what} with ${filling} at ${path.join("/")}`,
      bytes: () => {
        const copy = structuredClone(example) as Record<string, unknown>
        const owner = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
        owner[path.at(-1)!] = "@@"
        return utf8(JSON.stringify(copy).replace('"@@"', () => value))
      }
    }))
  )

/** What was found and other kinds of files; each door gets all of them. */
export const hostileSet: ReadonlyArray<HostileFile> = [...FOUND, ...KINDS]

/** Every member of a proof, with something of the wrong kind or size. */
export const filledProofs: ReadonlyArray<HostileFile> = filledIn("a proof", whole)

/** The same of a statement. */
export const filledStatements: ReadonlyArray<HostileFile> = filledIn("a statement", STATEMENT)
