/**
 * One asset: what it looks like, what is known of it, and its commits as the ledger has them. Anybody may write to the ledger, so every record is
 * a stranger's text here.
 */
import { useState } from "preact/hooks"
import { answerTo, ask, type Problem } from "../Api.ts"
import { problemOf, useAnswer } from "../Hooks.ts"
import { momentText, sizeText, words } from "../Language.ts"
import { Copy, Facts, Heading, Preview, Shown, Trouble } from "../Parts.tsx"
import { hrefOf } from "../Route.ts"
import { saveAnswer } from "../Save.ts"
import { Say, Strange, seen } from "../Say.tsx"
import type { Asset, AssetCommit, AssetPage } from "../Types.ts"

/** The list finds an asset by its CID; one that is not the account's own is known by its commits alone. */
const useAsset = (assetCid: string) => {
  const [asked] = useAnswer<AssetPage>(`/assets?limit=1&q=${encodeURIComponent(assetCid)}`)
  return asked.is === "here" ? asked.value.assets.find((one) => one.assetCid === assetCid) : undefined
}

export const AssetView = ({ assetCid }: { readonly assetCid: string }) => {
  const asset = useAsset(assetCid)
  const [network, setNetwork] = useState<"mainnet" | "testnet">("mainnet")
  const path = `/assets/${encodeURIComponent(assetCid)}/commits?limit=1000&testnet=${network === "testnet"}`
  const [commits, again] = useAnswer<{ readonly commits: ReadonlyArray<AssetCommit> }>(path)
  const name = asset?.name ?? assetCid
  return (
    <>
      <p>
        <a href={hrefOf("assets")}>← {words("viewAssets")}</a>
      </p>
      <Heading>
        <Strange text={name} longest={120} />
      </Heading>
      <div class="asset">
        <div class="card frame-picture">
          {asset && <Preview isLarge assetCid={assetCid} encodingFormat={asset.encodingFormat} name={seen(name)} />}
          <a class="button" href={`/ipfs/${encodeURIComponent(assetCid)}`} download={seen(asset?.name ?? assetCid)}>
            {words("saveFile")}
          </a>
        </div>
        <section class="card" aria-labelledby="asset-facts">
          <h2 id="asset-facts">{words("factsTitle")}</h2>
          <Facts
            rows={[
              [
                "CID",
                <>
                  <Strange text={assetCid} /> <Copy text={assetCid} />
                </>
              ],
              ...(asset === undefined ? [] : factsOf(asset))
            ]}
          />
        </section>
      </div>
      <section aria-labelledby="commits-title">
        <div class="top">
          <h2 id="commits-title">{words("commitsTitle")}</h2>
          <fieldset class="actions">
            <legend class="hidden">{words("networksTitle")}</legend>
            {(["mainnet", "testnet"] as const).map((one) => (
              <button key={one} type="button" aria-pressed={one === network} onClick={() => setNetwork(one)}>
                {words(one)}
              </button>
            ))}
          </fieldset>
        </div>
        <Shown asked={commits} again={again}>
          {(found) =>
            found.commits.length === 0 ? (
              <p class="card empty">{words("noCommits")}</p>
            ) : (
              <ol class="timeline" reversed>
                {found.commits.toReversed().map((commit) => (
                  <CommitCard
                    key={`${commit.txHash} ${String(commit.commit?.assetTreeCid)}`}
                    commit={commit}
                    network={network}
                  />
                ))}
              </ol>
            )
          }
        </Shown>
      </section>
    </>
  )
}

const factsOf = (asset: Asset) =>
  [
    ["SHA-256", <Strange text={asset.assetSha256} />],
    [words("kind"), <Strange text={asset.encodingFormat} />],
    [words("size"), asset.size === null ? words("unknown") : sizeText(asset.size)],
    [words("registered"), momentText(asset.registeredAt)]
  ] as const

const textOf = (record: AssetCommit["commit"], name: string): string | undefined => {
  const value = record?.[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const CommitCard = ({
  commit: { blockNumber, commit, commitData, recorder, txHash },
  network
}: {
  readonly commit: AssetCommit
  readonly network: "mainnet" | "testnet"
}) => {
  const [tree, setTree] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const treeCid = textOf(commit, "assetTreeCid")
  const seconds = commit?.timestampCreated
  const time = typeof seconds === "number" ? momentText(new Date(seconds * 1000).toISOString()) : words("unknown")
  const failed = (error: unknown) => setProblem(problemOf(error))
  const proof = `/proofs/${encodeURIComponent(treeCid ?? "")}`
  const save = (form: "json" | "html") =>
    void answerTo(form === "html" ? `${proof}?form=html` : proof)
      .then((answer) => saveAnswer(answer, `${treeCid}.proof.${form}`))
      .catch(failed)
  const showTree = () =>
    void ask<unknown>(`/ipfs/${encodeURIComponent(treeCid ?? "")}`)
      .then((found) => setTree(JSON.stringify(found, undefined, 2)))
      .catch(failed)
  const action = textOf(commit, "actionName")
  // What a record says when nothing was said: the action is in the heading already.
  const message = [textOf(commit, "abstract")].find((text) => text !== `Action ${action}.`)
  return (
    <li class="card">
      <h3>
        {time} · <Strange text={action ?? words("unknownAction")} longest={60} />
      </h3>
      {message && (
        <p>
          <Strange text={message} longest={1_000} />
        </p>
      )}
      {commit === undefined && (
        <pre>
          <Strange text={commitData ?? ""} longest={2_000} />
        </pre>
      )}
      <Facts
        rows={[
          [words("author"), <Strange text={textOf(commit, "author") ?? words("unknown")} />],
          [words("recorder"), <Strange text={recorder} />],
          [
            words("transaction"),
            <>
              <Strange text={txHash} /> · <Say of="block" number={String(blockNumber)} />
            </>
          ]
        ]}
      />
      <p class="soft">{words("claimed")}</p>
      {problem && <Trouble problem={problem} />}
      <div class="actions">
        {treeCid && (
          <>
            <button type="button" onClick={() => save("json")}>
              {words("saveProof")}
            </button>
            <button type="button" onClick={() => save("html")}>
              {words("savePage")}
            </button>
            <a class="button" href={`/verify?proof=${encodeURIComponent(proof)}`}>
              {words("verify")}
            </a>
            {tree === undefined && (
              <button type="button" onClick={showTree}>
                {words("showTree")}
              </button>
            )}
          </>
        )}
        <a href={`/explorer/${network}/tx/${encodeURIComponent(txHash)}`}>{words("explorer")}</a>
      </div>
      {tree !== undefined && (
        <pre class="whole">{tree.split("\n").map((line) => [<Strange text={line} longest={2_000} />, "\n"])}</pre>
      )}
    </li>
  )
}
