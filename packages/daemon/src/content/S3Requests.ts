/**
 * Signed requests to S3-compatible storage (AWS Signature Version 4; https://docs.aws.amazon.com/AmazonS3/latest/API/). Each attempt has
 * a time limit; what may pass (no connection, 429, 5xx) is tried again up to four times, after about 0.1, 0.2, 0.4 and 0.8 s.
 * Every request here may be repeated: objects are named by their content.
 */
import { hash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import { Clock, Duration, Effect, Redacted, Schedule } from "effect"
import { type S3Address, urlOf } from "./S3Address.ts"
import { type S3Failure, S3Refused, S3Unreachable } from "./S3Errors.ts"

export interface S3Access {
  readonly address: S3Address
  readonly region: string
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
  /** Longest silence of one attempt that carries no content. Default 10 s. */
  readonly timeout?: Duration.Duration
}

export interface S3Request {
  readonly method: "GET" | "PUT"
  /** Empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** sha256 of the body in hex, when the caller knows it: the storage refuses a body that arrives otherwise. */
  readonly sha256?: string
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

export interface S3Requests {
  readonly send: (request: S3Request) => Effect.Effect<S3Answer, S3Failure>
  /** The same, without trying again. */
  readonly sendOnce: (request: S3Request) => Effect.Effect<S3Answer, S3Failure>
}

const TIMEOUT = Duration.seconds(10)
const RETRIES = 4

/** A body gets a second more for each so many bytes. */
const BYTES_PER_SECOND = 262_144

const BACKOFF = Schedule.exponential("100 millis").pipe(Schedule.jittered)

export const makeS3Requests = (access: S3Access): S3Requests => {
  const { endpoint, bucket } = access.address
  const unreachable = (problem: string) => new S3Unreachable({ endpoint, problem })
  /** Milliseconds by which the storage's clock is ahead of ours, once it has complained. */
  let ahead = 0

  const exchange = async (request: S3Request, now: number, signal: AbortSignal): Promise<S3Answer> => {
    const { url, headers } = await sign(access, request, now)
    const body = request.body as Uint8Array<ArrayBuffer> | undefined
    const response = await fetch(url, {
      method: request.method,
      headers,
      signal,
      redirect: "manual",
      ...(body !== undefined && { body })
    })
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) }
  }

  const sendOnce = Effect.fnUntraced(function* (request: S3Request) {
    const now = yield* Clock.currentTimeMillis
    const seconds = (request.body?.length ?? 0) / BYTES_PER_SECOND
    const limit = Duration.sum(access.timeout ?? TIMEOUT, Duration.seconds(seconds))
    const answer = yield* Effect.tryPromise({
      try: (signal) => exchange(request, now + ahead, signal),
      catch: (cause) => unreachable(reasonOf(cause))
    }).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => Effect.fail(unreachable(`it did not answer within ${Duration.format(limit)}`))
      })
    )
    const code = errorCode(answer)
    if (code === undefined) return answer
    if (code === "RequestTimeTooSkewed") ahead = (Date.parse(answer.headers.get("date") ?? "") || now) - now
    return yield* new S3Refused({ endpoint, bucket, status: answer.status, code })
  })

  const isPassing = (failure: S3Failure): boolean =>
    failure._tag === "S3Unreachable" || failure.isPassing || failure.code === "RequestTimeTooSkewed"

  return {
    sendOnce,
    send: (request) => Effect.retry(sendOnce(request), { while: isPassing, schedule: BACKOFF, times: RETRIES })
  }
}

const sign = (access: S3Access, request: S3Request, now: number) => {
  const body = request.body ?? new Uint8Array()
  return new AwsV4Signer({
    method: request.method,
    url: urlOf(access.address, request.key, request.query),
    headers: { ...request.headers, "x-amz-content-sha256": request.sha256 ?? hash("sha256", body, "hex") },
    accessKeyId: Redacted.value(access.accessKeyId),
    secretAccessKey: Redacted.value(access.secretAccessKey),
    region: access.region,
    service: "s3",
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "")
  }).sign()
}

/** S3's code when the answer is no, empty when it tells none; undefined when it is yes. */
const errorCode = ({ status, body }: S3Answer): string | undefined => {
  if (status < 300) return undefined
  const text = new TextDecoder().decode(body.subarray(0, LONGEST_ERROR))
  return /<Error>[\s\S]*?<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? ""
}

const LONGEST_ERROR = 4_096

/** fetch hides the reason in causes: ECONNREFUSED, ENOTFOUND, "other side closed". */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const code = "code" in error ? String(error.code) : ""
  return error.message.includes(code) && error.message !== "" ? error.message : code
}
