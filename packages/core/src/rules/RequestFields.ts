/**
 * The building blocks of a request: what a field of each kind may hold, and how an optional field is left out.
 * A message ends the sentence "/field …" and says what would be right.
 */
import { Effect, Option, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type Action, PREDEFINED_ACTIONS, parseAction } from "../asset-tree/Action.ts"
import { parseCid } from "../asset-tree/Cid.ts"
import { nearestName } from "./NearestName.ts"

/** A field that must be there, with its meaning for readers of the API. */
export const required = <A, I>(schema: Schema.Codec<A, I>, description: string) =>
  schema.pipe(Schema.annotateEncoded({ description }), Schema.annotateKey({ messageMissingKey: "is required" }))

/** A field that may be left out. `null` says the same: once decoded the key is absent. */
export const optional = <A, I>(schema: Schema.Codec<A, I>, description: string) =>
  Schema.optionalKey(orNull(schema, description)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(isGiven<A>)),
      encode: SchemaGetter.passthroughSubtype()
    })
  )

/** A field that may be left out (`null` says the same), and then has the value `fallback`. */
export const withDefault = <A, I>(schema: Schema.Codec<A, I>, fallback: A, description: string) =>
  Schema.optionalKey(orNull(schema, description)).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional((given: Option.Option<A | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, isGiven<A>), () => fallback))
      ),
      encode: SchemaGetter.passthroughSubtype()
    })
  )

const orNull = <A, I>(schema: Schema.Codec<A, I>, description: string) =>
  Schema.NullOr(schema).pipe(Schema.annotateEncoded({ description }))

const isGiven = <A>(value: A | null): value is A => value !== null

/** A CID, kept as it is written (`Nid` is another name for it). */
export const CidText = Schema.String.check(
  Schema.makeFilter((text: string) => parseCid(text) !== undefined, {
    message:
      "must be a CID (v0, or v1 in base32, base36 or base58), such as bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
    toJsonSchema: () => [{}, true]
  })
)

/** An action by its Nid or its predefined name; decoded it is both. */
export const ActionText = Schema.String.pipe(
  Schema.decodeTo(Schema.Struct({ name: Schema.String, nid: Schema.String }), {
    decode: SchemaGetter.transformEffect((text: string) => {
      const action = parseAction(text)
      if (action !== undefined) return Effect.succeed(action)
      const nearest = nearestName(
        text,
        PREDEFINED_ACTIONS.map(({ name }) => name)
      )
      return Effect.fail(
        new SchemaIssue.InvalidValue({
          message: `must be the CID of an action profile, or the name of a predefined action; the nearest name is "${nearest}"`
        })
      )
    }),
    encode: SchemaGetter.transform(({ name, nid }: Action) =>
      PREDEFINED_ACTIONS.some((action) => action.name === name && action.nid === nid) ? name : nid
    )
  })
)

/** A sha256 as 64 hexadecimal digits in any letter case; held and written in lower case. */
export const Sha256Text = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/u, { message: "must be a sha256: 64 hexadecimal digits, without 0x" })
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
    encode: SchemaGetter.passthrough()
  })
)

/** 9999-12-31T23:59:59Z, the last second that calendars with four-digit years can show. */
const LAST_SECOND = 253_402_300_799

const WHOLE_SECONDS = "must be an integer: Unix time in whole seconds"

const timestampProblem = (seconds: number): string | undefined => {
  if (!Number.isInteger(seconds)) return WHOLE_SECONDS
  if (seconds >= 0 && seconds <= LAST_SECOND) return undefined
  const range = `must be Unix time in seconds, 0 to ${LAST_SECOND}`
  return seconds > LAST_SECOND && seconds / 1000 <= LAST_SECOND
    ? `${range}; this looks like milliseconds, and in seconds it would be ${Math.floor(seconds / 1000)}`
    : range
}

/** Unix time in whole seconds. */
export const UnixSeconds = Schema.Number.annotate({ message: WHOLE_SECONDS }).check(
  Schema.isFinite({ message: WHOLE_SECONDS }),
  Schema.makeFilter(timestampProblem, {
    toJsonSchema: () => ({ type: "integer", minimum: 0, maximum: LAST_SECOND }),
    arbitraryConstraint: { number: "integer", minimum: 0, maximum: LAST_SECOND }
  })
)

const CHAIN_ID = "must be a chain id: a positive integer up to 9007199254740991, such as 1"

/** The chain id of EIP-155. */
export const ChainId = Schema.Number.annotate({ message: CHAIN_ID }).check(
  Schema.isInt({ message: CHAIN_ID }),
  Schema.isGreaterThanOrEqualTo(1, { message: CHAIN_ID })
)

const TOKEN_ID = 'must be a token id: a decimal integer from 0 to 2^256−1 in a string, such as "42"'
const TOKEN_IDS = 2n ** 256n

/** A token id of ERC-721 or ERC-1155: a uint256 in decimal. Leading zeros are dropped, so that one id has one text. */
export const TokenId = Schema.String.annotate({ message: TOKEN_ID })
  .check(
    Schema.isPattern(/^[0-9]{1,78}$/u, { message: TOKEN_ID }),
    Schema.makeFilter((text: string) => !/^[0-9]{1,78}$/.test(text) || BigInt(text) < TOKEN_IDS, {
      message: TOKEN_ID,
      toJsonSchema: () => [{}, true]
    })
  )
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => BigInt(text).toString()),
      encode: SchemaGetter.passthrough()
    })
  )

/** A media type (RFC 9110, section 8.3.1), kept as it is written. */
export const MediaType = Schema.String.check(
  Schema.isPattern(
    /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t !#-[\]-~]|\\[\t !-~])*"))*$/u,
    { message: "must be a MIME type, such as image/jpeg or text/plain; charset=utf-8" }
  )
)

/** An EIP-191 signature as hex. What it says is checked when the asset tree is known. */
export const SignatureText = Schema.String.check(
  Schema.isPattern(/^0x(?:[0-9a-fA-F]{128}|[0-9a-fA-F]{130})$/u, {
    message: "must be a signature: 0x followed by 130 hexadecimal digits (65 bytes), or 128 (64 bytes, EIP-2098)"
  })
)
