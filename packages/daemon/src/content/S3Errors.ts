/**
 * How S3-compatible storage can fail; causes inside `StorageUnavailable`, for the daemon's log, and reasons not to start. Of an answer
 * only the status and the code are told: its text may repeat the access key's id.
 */
import { Schema } from "effect"

/** No whole answer came: no connection, a connection cut off, or silence. */
export class S3Unreachable extends Schema.TaggedError<S3Unreachable>()("S3Unreachable", {
  endpoint: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The content storage at ${this.endpoint} could not be reached: ${this.problem}. See that it runs and that this machine reaches it; the next call tries again, without a restart.`
  }
}

/** The storage answered, and it was no. */
export class S3Refused extends Schema.TaggedError<S3Refused>()("S3Refused", {
  endpoint: Schema.String,
  bucket: Schema.String,
  status: Schema.Int,
  /** S3's own code, such as NoSuchBucket; empty when the answer had none. */
  code: Schema.String
}) {
  override get message() {
    const answer = this.code === "" ? `status ${this.status}` : `status ${this.status}, ${this.code}`
    return `The content storage at ${this.endpoint} refused (${answer}): ${this.meaning}`
  }

  private get meaning(): string {
    if (this.isPassing) return "it is overloaded or broken for now. The next call tries again, without a restart."
    switch (this.code) {
      case "NoSuchBucket":
        return `it has no bucket ${this.bucket}. Create the bucket, or correct content_url.`
      case "InvalidAccessKeyId":
        return "it does not know this access key. Correct s3_access_key_id."
      case "SignatureDoesNotMatch":
        return "the secret does not belong to the access key. Correct s3_secret_access_key."
      case "AuthorizationHeaderMalformed":
      case "PermanentRedirect":
      case "TemporaryRedirect":
        return `the bucket ${this.bucket} is in another region. Correct s3_region, and the host in content_url.`
      case "RequestTimeTooSkewed":
        return "the clocks of this machine and of the storage differ by more than 15 minutes. Set this machine's clock."
    }
    if (this.status === 403) {
      return `this access key may not do that. It needs s3:ListBucket on the bucket ${this.bucket}, and s3:GetObject and s3:PutObject on the objects in it.`
    }
    return "see what its own log says of it, and whether content_url and s3_region are right."
  }

  /** Whether the same request may well succeed a moment later. */
  get isPassing(): boolean {
    return this.status === 429 || (this.status >= 500 && this.status !== 501) || PASSING.has(this.code)
  }
}

/** Codes that pass under any status. */
const PASSING = new Set([
  "ConditionalRequestConflict",
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown"
])

export type S3Failure = S3Unreachable | S3Refused

export class ObjectDamaged extends Schema.TaggedError<ObjectDamaged>()("ObjectDamaged", {
  cid: Schema.String,
  bucket: Schema.String,
  key: Schema.String
}) {
  override get message() {
    return `The object ${this.key} in the bucket ${this.bucket} does not hold the content of ${this.cid}: it was changed or cut short. It was not served. Restore an earlier version of the object, or register the asset's file again, which writes it anew; and see who else may write to the bucket.`
  }
}
