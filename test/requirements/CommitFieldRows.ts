/**
 * The rows of interface.md's "Commit request" table as data: what each field must not hold, what it may hold, and what the asset
 * tree says then. Values beyond the table's words are those of decisions.md, section 4.
 */
export interface FieldRow {
  readonly field: string
  /** The row of interface.md, word for word. */
  readonly row: string
  readonly required: boolean
  /** Values of another JSON type. */
  readonly otherTypes: ReadonlyArray<unknown>
  /** Values of the right type that are refused, each with words that the message must have. */
  readonly refused: ReadonlyArray<readonly [value: unknown, words: RegExp]>
  /** Values that are accepted; with what the tree holds, when that differs from the value. */
  readonly accepted: ReadonlyArray<readonly [value: unknown, stored?: unknown]>
  /** Where the tree holds it, as member names; none when the tree does not. */
  readonly treePath?: ReadonlyArray<string>
}

const NO_STRING = [42, true, false, {}, [], ["text"]]

const ADDRESS = /0x followed by 40 hexadecimal digits/
const ADDRESSES_REFUSED: FieldRow["refused"] = [
  ["", ADDRESS],
  ["0x", ADDRESS],
  [`0x${"a".repeat(39)}`, ADDRESS],
  [`0x${"a".repeat(41)}`, ADDRESS],
  [`0x${"g".repeat(40)}`, ADDRESS],
  [`0X${"a".repeat(40)}`, ADDRESS],
  ["a".repeat(40), ADDRESS],
  [` 0x${"a".repeat(40)}`, ADDRESS],
  [`0x${"a".repeat(40)}\n`, ADDRESS],
  ["alice.eth", ADDRESS]
]
const EIP55 = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const ADDRESSES_ACCEPTED: FieldRow["accepted"] = [
  [EIP55],
  [EIP55.toLowerCase(), EIP55],
  [`0x${EIP55.slice(2).toUpperCase()}`, EIP55],
  [`0x5AaEB6053f3e94c9B9a09F33669435e7eF1bEaED`, EIP55]
]

const CID = /must be a CID/
export const CIDS_REFUSED: FieldRow["refused"] = [
  ["", CID],
  ["not a cid", CID],
  ["Qm", CID],
  ["bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63", CID],
  ["ipfs://bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m", CID],
  ["bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m ", CID]
]
/** One CID of each kind: v0, v1 in base32, base58btc and base36. */
export const CIDS_ACCEPTED = [
  "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
  "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
  "zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7",
  "k2k4r8jl0yz8qjgqbmc2cdu5hkqek5rj6flgnlkyywynci20j0iuyfuj"
]

export const FIELD_ROWS: ReadonlyArray<FieldRow> = [
  {
    field: "encodingFormat",
    row: "encodingFormat | string | yes | MIME type of the asset",
    required: true,
    otherTypes: NO_STRING,
    refused: ["", "jpeg", "image/", "/jpeg", "image/jpeg;", "image jpeg", "image/jpeg\n"].map((text) => [
      text,
      /MIME type/
    ]),
    accepted: [["image/jpeg"], ["text/plain; charset=utf-8"], ["application/vnd.ipld.dag-json"]],
    treePath: ["encodingFormat"]
  },
  {
    field: "assetCid",
    row: "assetCid | string | yes | Content identifier (Cid, also called Nid) of the asset",
    required: true,
    otherTypes: NO_STRING,
    refused: CIDS_REFUSED,
    accepted: [],
    treePath: ["assetCid"]
  },
  {
    field: "assetTimestampCreated",
    row: "assetTimestampCreated | integer | yes | Creation time of the asset as a Unix timestamp",
    required: true,
    otherTypes: ["1780000000", true, {}, []],
    refused: [
      [1.5, /integer/],
      [-1, /0 to 253402300799/],
      [253_402_300_800, /0 to 253402300799/],
      [1_780_000_000_000, /milliseconds.*1780000000/]
    ],
    accepted: [[0], [1_780_000_000], [253_402_300_799]],
    treePath: ["assetTimestampCreated"]
  },
  {
    field: "assetCreator",
    row: "assetCreator | string | yes | Name of the asset's creator; at most 21 characters",
    required: true,
    otherTypes: NO_STRING,
    refused: [["a".repeat(22), /at most 21 characters; this one has 22/]],
    accepted: [["Zoë Ångström"], ["王小明"]],
    treePath: ["assetCreator"]
  },
  {
    field: "assetSha256",
    row: "assetSha256 | string | yes | sha256 of the asset",
    required: true,
    otherTypes: NO_STRING,
    refused: ["", "a".repeat(63), "a".repeat(65), "g".repeat(64), `0x${"a".repeat(64)}`].map((text) => [
      text,
      /64 hexadecimal digits/
    ]),
    accepted: [],
    treePath: ["assetSha256"]
  },
  {
    field: "testnet",
    row: "testnet | boolean | no | `true` commits on the test network",
    required: false,
    otherTypes: ["true", "false", "", 0, 1, {}, []],
    refused: [],
    accepted: [[false], [true]]
  },
  {
    field: "author",
    row: "author | string | no | Address of the commit's author; default is the caller's own wallet",
    required: false,
    otherTypes: NO_STRING,
    refused: ADDRESSES_REFUSED,
    accepted: ADDRESSES_ACCEPTED,
    treePath: ["creatorWallet"]
  },
  {
    field: "licenseName",
    row: "licenseName | string | no | License name; at most 21 characters",
    required: false,
    otherTypes: NO_STRING,
    refused: [["a".repeat(22), /at most 21 characters; this one has 22/]],
    accepted: [["CC-BY-4.0"]],
    treePath: ["license", "name"]
  },
  {
    field: "licenseDocument",
    row: "licenseDocument | string | no | License document",
    required: false,
    otherTypes: NO_STRING,
    refused: [],
    accepted: [["https://creativecommons.org/licenses/by/4.0/legalcode"], ["x".repeat(5_000)]],
    treePath: ["license", "document"]
  },
  {
    field: "custom",
    row: "custom | JSON object | no | Custom metadata; must be a valid JSON object",
    required: false,
    otherTypes: [42, true, false, [], [{}]],
    refused: [
      ["not json", /JSON object/],
      ["[]", /JSON object/],
      ["42", /JSON object/],
      ["null", /JSON object/],
      ['{"a":1,"a":2}', /twice/]
    ],
    accepted: [[{}], [{ "": "empty key", nested: [1, { deep: null }], truth: true, half: 0.5, ключ: "значение" }]],
    treePath: ["custom"]
  },
  {
    field: "nftContractAddress",
    row: "nftContractAddress | string | no | Address of the asset's NFT contract",
    required: false,
    otherTypes: NO_STRING,
    refused: ADDRESSES_REFUSED,
    accepted: ADDRESSES_ACCEPTED,
    treePath: ["nftRecord", "contractAddress"]
  },
  {
    field: "nftChainID",
    row: "nftChainID | integer | no | Chain ID of the NFT contract",
    required: false,
    otherTypes: ["1", true, {}, []],
    refused: [0, -1, 1.5, 9_007_199_254_740_992].map((value) => [value, /positive integer/]),
    accepted: [[1], [9_007_199_254_740_991]],
    treePath: ["nftRecord", "chainID"]
  },
  {
    field: "nftTokenID",
    row: "nftTokenID | string | no | Token ID of the NFT",
    required: false,
    otherTypes: [42, true, {}, []],
    refused: ["", "-1", "0x1", "1.5", "1e3", "٤", (2n ** 256n).toString()].map((value) => [value, /2\^256/]),
    accepted: [["0"], [(2n ** 256n - 1n).toString()]],
    treePath: ["nftRecord", "tokenID"]
  },
  {
    field: "commitMessage",
    row: "commitMessage | string | no | Description of this commit",
    required: false,
    otherTypes: NO_STRING,
    refused: [],
    accepted: [["Cropped 👩‍🎨 and signed.\nSecond line."]]
  },
  {
    field: "action",
    row: "action | string | no | Cid/Nid of the action profile; default `action-commit`",
    required: false,
    otherTypes: NO_STRING,
    refused: [
      ["", /CID of an action profile/],
      ["action-comit", /nearest name is "action-commit"/],
      ["Action-Commit", /nearest name is "action-commit"/]
    ],
    accepted: [["action-commit"], ["bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"]]
  },
  {
    field: "abstract",
    row: "abstract | string | no | Asset description or caption; at most 255 characters",
    required: false,
    otherTypes: NO_STRING,
    refused: [["a".repeat(256), /at most 255 characters; this one has 256/]],
    accepted: [["A cup of espresso,\nseen from above."]],
    treePath: ["abstract"]
  },
  {
    field: "headline",
    row: "headline | string | no | Headline or title of the content file",
    required: false,
    otherTypes: NO_STRING,
    refused: [],
    accepted: [["Espresso"], ["長".repeat(2_000)]],
    treePath: ["headline"]
  },
  {
    field: "integrityCid",
    row: "integrityCid | string | no | IPFS Cid of a metadata file supplied by the caller; carries additional metadata",
    required: false,
    otherTypes: NO_STRING,
    refused: CIDS_REFUSED,
    accepted: CIDS_ACCEPTED.map((cid) => [cid]),
    treePath: ["integrityCid"]
  }
]
