/** The bytes of asset trees: canonical dag-json, written by the reference library, so that every reader of IPLD gives the same tree the same CID. */
import { encode } from "@ipld/dag-json"
import type { JsonValue } from "../json/JsonValue.ts"

/**
 * The canonical dag-json bytes of `value`. The commit rules refuse, with the place named, what it could not carry without change: a key "/",
 * numbers that lose digits, lone surrogates, keys that codecs order differently.
 */
export const encodeDagJson = (value: JsonValue): Uint8Array => encode(value)
