/**
 * A further commit of an asset, from a form that holds what the last one said: what is edited is what changes, the price is seen before it is spent,
 * and what the form has no field for (custom metadata, an NFT) is said again as it was.
 */
import { useState } from "preact/hooks"
import type { JsonValue } from "../../../core/src/json/JsonValue.ts"
import { ask, type Problem } from "../Api.ts"
import { commitOnce } from "../adding/Commit.ts"
import { type CommitRequest, type Fields, keyOf, requestOf } from "../adding/Request.ts"
import { problemOf } from "../Hooks.ts"
import { words } from "../Language.ts"
import { atMost, units } from "../Money.ts"
import { Trouble } from "../Parts.tsx"
import { Say } from "../Say.tsx"
import type { Asset, Quote } from "../Types.ts"
import { DescribeForm, keptFields } from "../views/DescribeForm.tsx"
import type { Tree } from "./Trees.ts"

interface Props {
  readonly asset: Asset
  /** What the newest commit says. */
  readonly tree: Tree | undefined
  /** Its transaction; empty when there is none. */
  readonly after: string
  readonly isTestnet: boolean
  readonly accountName: string
  readonly done: () => void
}

const textIn = (holder: unknown, name: string): string => {
  const value = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  return typeof value === "string" ? value : ""
}

/** What the tree says, as the form has it; without one, what was said of files last. */
const fieldsOf = (tree: Tree | undefined, accountName: string): Fields =>
  tree === undefined || tree === "missing"
    ? keptFields(accountName)
    : {
        creator: textIn(tree, "assetCreator"),
        licenseName: textIn(tree.license, "name"),
        licenseDocument: textIn(tree.license, "document"),
        headline: textIn(tree, "headline"),
        abstract: textIn(tree, "abstract"),
        message: ""
      }

/** What is said again without having been asked. */
const keptOf = (tree: Tree | undefined): Readonly<Record<string, JsonValue>> => {
  if (tree === undefined || tree === "missing") return {}
  const nft = tree.nftRecord as Readonly<Record<string, JsonValue>> | null | undefined
  const kept = {
    integrityCid: tree.integrityCid,
    custom: tree.custom,
    nftChainID: nft?.chainID,
    nftContractAddress: nft?.contractAddress,
    nftTokenID: nft?.tokenID
  }
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null)
  )
}

interface Priced {
  readonly request: CommitRequest
  readonly total: bigint
}

export const NewCommit = ({ accountName, after, asset, done, isTestnet, tree }: Props) => {
  const [fields, setFields] = useState<Fields>(() => fieldsOf(tree, accountName))
  const [priced, setPriced] = useState<Priced | undefined>(undefined)
  const [isWorking, setWorking] = useState(false)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const work = (step: () => Promise<void>) => {
    setWorking(true)
    setProblem(undefined)
    void step()
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setWorking(false))
  }
  const price = () =>
    work(async () => {
      const made = tree === undefined || tree === "missing" ? undefined : tree.assetTimestampCreated
      const createdAt = typeof made === "number" ? made : Math.floor(Date.parse(asset.registeredAt) / 1_000)
      const request: CommitRequest = {
        ...requestOf(asset, fields, createdAt),
        ...keptOf(tree),
        ...(isTestnet ? { testnet: true } : {})
      }
      const quote = await ask<Quote>("/commit", { method: "POST", body: request, headers: { prefer: "return=quote" } })
      setPriced({ request, total: units(quote.total) })
    })
  const commit = ({ request }: Priced) =>
    work(async () => {
      await commitOnce(request, keyOf(request, after))
      done()
    })
  return (
    <>
      {problem && <Trouble problem={problem} />}
      {priced === undefined ? (
        <DescribeForm
          fields={fields}
          change={setFields}
          submit={price}
          title={words(after === "" ? "firstCommit" : "newCommit")}
          send={words("seePrice")}
          hint={words("newCommitMeans")}
        />
      ) : (
        <section class="card price" aria-labelledby="new-price" aria-live="polite">
          <h2 id="new-price">
            <Say of="priceOne" total={<strong>{atMost(priced.total)}</strong>} />
          </h2>
          <p class="soft">{words(isTestnet ? "priceTestnet" : "priceMeans")}</p>
          <div class="actions">
            <button type="button" class="main" disabled={isWorking} onClick={() => commit(priced)}>
              {words(isWorking ? "committing" : "commitOne")}
            </button>
            <button type="button" disabled={isWorking} onClick={() => setPriced(undefined)}>
              {words("editForm")}
            </button>
          </div>
        </section>
      )}
    </>
  )
}
