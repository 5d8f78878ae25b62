/**
 * One asset: what it looks like, what is known of it, its commits as the ledger has them with what each changed, a further commit, and a page to show
 * to others. Anybody may write to the ledger, so every record is a stranger's text here.
 */
import { useState } from "preact/hooks"
import { answerTo, ask, type Problem, type Session } from "../Api.ts"
import { CommitCard, textOf } from "../asset/CommitCard.tsx"
import { NewCommit } from "../asset/NewCommit.tsx"
import { Share } from "../asset/Share.tsx"
import { useTree } from "../asset/Trees.ts"
import { problemOf, useAnswer } from "../Hooks.ts"
import { momentText, sizeText, words } from "../Language.ts"
import { Copy, Facts, Heading, Shown, Trouble } from "../Parts.tsx"
import { Preview } from "../pictures/Preview.tsx"
import { hrefOf } from "../Route.ts"
import { saveAnswer } from "../Save.ts"
import { Strange, seen } from "../Say.tsx"
import type { Asset, AssetCommit, AssetPage } from "../Types.ts"

type Network = "mainnet" | "testnet"

interface Commits {
  readonly commits: ReadonlyArray<AssetCommit>
  readonly previous: string | null
}

const SHOWN = 20
/** Later than any commit: a page that ends before it holds the newest. */
const END = "999999999999999:0"

interface Props {
  readonly assetCid: string
  readonly session: Session
}

export const AssetView = ({ assetCid, session }: Props) => {
  // The list finds an asset by its CID; one that is not the account's own is known by its commits alone.
  const [list] = useAnswer<AssetPage>(`/assets?limit=1&q=${encodeURIComponent(assetCid)}`)
  const [network, setNetwork] = useState<Network>("mainnet")
  const asset = list.is === "here" ? list.value.assets.find((one) => one.assetCid === assetCid) : undefined
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
          {asset && <Preview asset={asset} />}
          {list.is === "here" && asset === undefined && <p class="soft">{words("notYours")}</p>}
          {asset?.size !== null && (
            <a class="button" href={`/ipfs/${encodeURIComponent(assetCid)}`} download={seen(name)}>
              {words("saveFile")}
            </a>
          )}
        </div>
        <section class="card" aria-labelledby="asset-facts">
          <h2 id="asset-facts">{words("factsTitle")}</h2>
          <Facts
            rows={[
              ...(asset === undefined ? [] : factsOf(asset)),
              [
                "CID",
                <>
                  <Strange text={assetCid} /> <Copy text={assetCid} />
                </>
              ],
              ...(asset === undefined ? [] : [["SHA-256", <Strange text={asset.assetSha256} />] as const])
            ]}
          />
          <Share assetCid={assetCid} isTestnet={network === "testnet"} />
        </section>
      </div>
      <History key={network} {...{ asset, assetCid, network, session, setNetwork }} />
    </>
  )
}

const factsOf = (asset: Asset) =>
  [
    [words("kind"), <Strange text={asset.encodingFormat} />],
    [words("size"), asset.size === null ? words("unknown") : sizeText(asset.size)],
    [words("registered"), momentText(asset.registeredAt)]
  ] as const

interface HistoryProps extends Props {
  readonly asset: Asset | undefined
  readonly network: Network
  readonly setNetwork: (network: Network) => void
}

const History = ({ asset, assetCid, network, session, setNetwork }: HistoryProps) => {
  const path = `/assets/${encodeURIComponent(assetCid)}/commits?limit=${SHOWN}&testnet=${network === "testnet"}`
  const [newest, again] = useAnswer<Commits>(`${path}&before=${END}`)
  const [older, setOlder] = useState<Commits | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [isWriting, setWriting] = useState(false)
  const failed = (error: unknown) => setProblem(problemOf(error))
  const commits = [...(older?.commits ?? []), ...(newest.is === "here" ? newest.value.commits : [])].toReversed()
  const previous = older === undefined ? (newest.is === "here" ? newest.value.previous : null) : older.previous
  const last = commits[0]
  const lastTree = useTree(textOf(last?.commit, "assetTreeCid"))
  const showOlder = () =>
    void ask<Commits>(`${path}&before=${previous}`)
      .then((found) => setOlder({ ...found, commits: [...found.commits, ...(older?.commits ?? [])] }))
      .catch(failed)
  const saveAll = () =>
    void answerTo(`/proofs/history/${encodeURIComponent(assetCid)}?testnet=${network === "testnet"}`)
      .then((answer) => saveAnswer(answer, `${assetCid}.history.car`))
      .catch(failed)
  const committed = () => {
    setWriting(false)
    setOlder(undefined)
    again()
  }
  return (
    <section class="history" aria-labelledby="commits-title">
      <div class="top">
        <h2 id="commits-title">{words("commitsTitle")}</h2>
        <fieldset class="actions">
          <legend class="hidden">{words("networksTitle")}</legend>
          {(["mainnet", "testnet"] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="small"
              aria-pressed={one === network}
              onClick={() => setNetwork(one)}
            >
              {words(one)}
            </button>
          ))}
        </fieldset>
      </div>
      {asset && newest.is === "here" && lastTree !== undefined && !isWriting && (
        <div class="actions">
          <button type="button" class="main" onClick={() => setWriting(true)}>
            {words(last === undefined ? "firstCommit" : "newCommit")}
          </button>
          {last !== undefined && (
            <button type="button" onClick={saveAll}>
              {words("saveCar")}
            </button>
          )}
        </div>
      )}
      {problem && <Trouble problem={problem} />}
      {asset && isWriting && (
        <>
          <NewCommit
            asset={asset}
            tree={lastTree}
            after={last?.txHash ?? ""}
            isTestnet={network === "testnet"}
            accountName={session.account.name}
            done={committed}
          />
          <p>
            <button type="button" onClick={() => setWriting(false)}>
              {words("cancel")}
            </button>
          </p>
        </>
      )}
      <Shown asked={newest} again={again}>
        {() =>
          commits.length === 0 ? (
            <p class="card empty">{words("noCommits")}</p>
          ) : (
            <ol class="timeline" reversed>
              {commits.map((commit, at) => {
                const before = commits[at + 1]
                // Of the oldest one shown, what came before is not here while there are older ones.
                return before === undefined && previous !== null ? null : (
                  <CommitCard
                    key={`${commit.txHash} ${String(commit.commit?.assetTreeCid)}`}
                    {...{ assetCid, before, commit, network }}
                    wallet={session.account.wallet}
                  />
                )
              })}
            </ol>
          )
        }
      </Shown>
      {previous !== null && (
        <button type="button" onClick={showOlder}>
          {words("olderCommits")}
        </button>
      )}
    </section>
  )
}
