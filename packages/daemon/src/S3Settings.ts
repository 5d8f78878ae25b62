/**
 * The content store that `content_url` names: the settings decoded and checked, and what the storage refuses at the start told as what
 * it is, settings to correct.
 */
import type { ContentStore } from "@treemark/core"
import { Effect, Layer, Option } from "effect"
import type { BlockFolder } from "./content/BlockFolder.ts"
import { parseS3Address } from "./content/S3Address.ts"
import * as S3Blocks from "./content/S3Blocks.ts"
import { type Settings, SettingsError } from "./Settings.ts"

export type S3SettingsValues = Pick<Settings["Service"], "s3Region" | "s3AccessKeyId" | "s3SecretAccessKey">

/** The store at `contentUrl` (see S3Address). `publicUrl` is what readers elsewhere call this service. */
export const layer = (
  contentUrl: string,
  settings: S3SettingsValues,
  publicUrl: string
): Layer.Layer<ContentStore | BlockFolder, SettingsError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const address = parseS3Address(contentUrl)
      if ("problem" in address) return yield* new SettingsError({ source: "content_url", problem: address.problem })
      const { s3AccessKeyId: id, s3SecretAccessKey: secret } = settings
      if (Option.isNone(id) || Option.isNone(secret)) {
        const problem = "content_url needs s3_access_key_id and s3_secret_access_key, best given in the environment."
        return yield* new SettingsError({ source: "content_url", problem })
      }
      return S3Blocks.layer({
        address,
        region: settings.s3Region,
        accessKeyId: id.value,
        secretAccessKey: secret.value,
        publicUrl
      }).pipe(
        Layer.catchTag("S3Refused", (refused) =>
          Layer.effectContext(Effect.fail(new SettingsError({ source: "content_url", problem: refused.message })))
        )
      )
    })
  )
