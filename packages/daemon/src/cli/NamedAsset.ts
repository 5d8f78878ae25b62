/** How an asset is named on a command line: by its CID, or by a file that holds its bytes. */
import { existsSync } from "node:fs"
import { Effect, Schema } from "effect"
import type { Admin } from "./Admin.ts"
import { fileProblem } from "./add/FileProblem.ts"
import { readFile } from "./add/ReadFile.ts"
import { foundFile } from "./add/Walk.ts"
import { failed } from "./Failures.ts"
import { printable } from "./Printable.ts"

const CID = /^[A-Za-z0-9]{20,}$/u

/** A CID, or the path of a file that is there; or what else is `alike`. */
export const assetName = (what: string, alike: RegExp = CID) =>
  Schema.String.check(
    Schema.makeFilter((text: string) =>
      CID.test(text) || alike.test(text) || existsSync(text)
        ? undefined
        : `must be a CID, such as ${what}, or the path of a file that is there`
    )
  )

/** Whether the text is a file's path and no CID. A file that is called like one is named with its folder: ./bafy… */
export const isFile = (text: string): boolean => !CID.test(text)

/** The asset that has the file's bytes, with the newest tree that was committed of it here. */
export const assetOfFile = Effect.fnUntraced(function* ({ client }: Admin["Service"], path: string) {
  const read = yield* Effect.tryPromise({
    try: () => readFile(foundFile(Buffer.from(path))),
    catch: (error) => {
      const { code, message } = fileProblem(error)
      return failed(code, `${printable(path)}: ${message}.`)
    }
  })
  const { found } = yield* client.additions.named({ query: { sha256: read.sha256 } })
  if (found !== null) return found
  return yield* failed(
    "asset_not_registered",
    `${printable(path)} is not registered here: no asset has its bytes (sha256 ${read.sha256}). An edited file is another asset. To register and commit it: treemarkd add FILE`
  )
})

/** The CID of the asset that is named. */
export const assetCidOf = (admin: Admin["Service"], text: string) =>
  isFile(text) ? Effect.map(assetOfFile(admin, text), ({ assetCid }) => assetCid) : Effect.succeed(text)
