/** Content stores on real S3-compatible storage, with the time limits of a test. */
import type { ContentStore } from "@treemark/core"
import { Duration, Effect, Redacted } from "effect"
import type { BlockFolder } from "../../../packages/daemon/src/content/BlockFolder.ts"
import { parseS3Address } from "../../../packages/daemon/src/content/S3Address.ts"
import * as S3Blocks from "../../../packages/daemon/src/content/S3Blocks.ts"
import { S3_KEY, type S3Server, startS3Server } from "../../layers/S3Server.ts"
import { PUBLIC_URL } from "./ContentFixture.ts"

/** What every key starts with in these tests. */
export const PREFIX = "treemark/content"

export const s3Address = (contentUrl: string) => {
  const address = parseS3Address(contentUrl)
  if ("problem" in address) throw new Error(address.problem)
  return address
}

export const s3Options = (server: S3Server): S3Blocks.S3BlocksOptions => ({
  address: s3Address(server.contentUrl),
  region: "us-east-1",
  accessKeyId: Redacted.make(S3_KEY.id),
  secretAccessKey: Redacted.make(S3_KEY.secret),
  timeout: Duration.seconds(5),
  publicUrl: PUBLIC_URL
})

/** Runs `use` on an empty content store on storage of its own. */
export const withS3 = <A, E>(
  use: (server: S3Server) => Effect.Effect<A, E, ContentStore | BlockFolder>,
  options: Partial<S3Blocks.S3BlocksOptions> = {}
) =>
  Effect.gen(function* () {
    const server = yield* startS3Server(PREFIX)
    return yield* use(server).pipe(Effect.provide(S3Blocks.layer({ ...s3Options(server), ...options })))
  }).pipe(Effect.scoped)

/** The key of a block under the prefix of these tests. */
export const s3Key = (cid: string): string => `${PREFIX}/${cid.slice(-3, -1)}/${cid}`
