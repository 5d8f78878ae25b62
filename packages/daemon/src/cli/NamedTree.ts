/** Which asset tree a person means who gives its CID, its asset's CID, the hash of its transaction, or the asset's file. */
import { Effect } from "effect"
import type { Admin } from "./Admin.ts"
import { CommandFailed, failed } from "./Failures.ts"
import { assetOfFile, isFile } from "./NamedAsset.ts"

export const TRANSACTION = /^0x[0-9a-fA-F]{64}$/u

/** The CID of the tree, and how it was found when that was not said. */
export const treeNamed = Effect.fnUntraced(function* (admin: Admin["Service"], text: string) {
  const ask = (query: { readonly txHash: string } | { readonly assetCid: string }) =>
    Effect.map(admin.client.additions.named({ query }), ({ found }) => found)
  if (TRANSACTION.test(text)) {
    const found = yield* ask({ txHash: text.toLowerCase() })
    if (found !== null && found.assetTreeCid !== null) return found.assetTreeCid
    return yield* failed(
      "commit_not_found",
      `${text} is the hash of a transaction, and no commit that was made here is in it. Give the assetTreeCid of the commit; treemarkd log ASSET_CID --json shows it.`
    )
  }
  if (!isFile(text)) return (yield* ask({ assetCid: text }))?.assetTreeCid ?? text
  const found = yield* assetOfFile(admin, text)
  if (found.assetTreeCid !== null) return found.assetTreeCid
  return yield* new CommandFailed({
    code: "commit_not_found",
    message: `The asset ${found.assetCid} is registered here and was never committed here, so there is nothing to prove. To commit its file: treemarkd add FILE; treemarkd log ${found.assetCid} shows what others recorded.`,
    exitCode: 1
  })
})
