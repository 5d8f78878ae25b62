/** Names that people give on a command line. */
import { Schema } from "effect"

const oneLine = (longest: number) =>
  Schema.makeFilter((text: string) =>
    [...text].length <= longest && /[\p{L}\p{N}]/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text) && text === text.trim()
      ? undefined
      : `must be one line of 1 to ${longest} characters, with a letter or digit in it and no space around it`
  )

/** Name of an account, or what names one on a command line. */
export const AccountName = Schema.String.check(oneLine(64))

/** The service name tied to an API key: it stands in `assetSourceType` of every tree of the account. */
export const ServiceName = Schema.String.check(oneLine(64))
