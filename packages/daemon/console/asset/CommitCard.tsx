/** One commit as the ledger has it, what it changed, and the ways to keep and to check it. Anybody may have written it. */
import { useState } from "preact/hooks"
import { answerTo, type Problem } from "../Api.ts"
import { problemOf } from "../Hooks.ts"
import { momentText, words } from "../Language.ts"
import { Facts, Trouble } from "../Parts.tsx"
import { saveAnswer } from "../Save.ts"
import { Say, Strange } from "../Say.tsx"
import type { AssetCommit } from "../Types.ts"
import { Difference } from "./Difference.tsx"
import { useTree } from "./Trees.ts"
import { Verdict } from "./Verdict.tsx"

export const textOf = (record: AssetCommit["commit"], name: string): string | undefined => {
  const value = record?.[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

interface Props {
  readonly assetCid: string
  readonly commit: AssetCommit
  /** The one before it on the ledger; undefined for the first. */
  readonly before: AssetCommit | undefined
  readonly network: "mainnet" | "testnet"
  readonly wallet: string
}

const LAST_SECOND = 253_402_300_799

export const CommitCard = ({ assetCid, before, commit: shown, network, wallet }: Props) => {
  const { blockNumber, commit, commitData, recorder, txHash } = shown
  const treeCid = textOf(commit, "assetTreeCid")
  const tree = useTree(treeCid)
  const oldTree = useTree(textOf(before?.commit, "assetTreeCid"))
  const seconds = commit?.timestampCreated
  const isTime = typeof seconds === "number" && seconds >= 0 && seconds <= LAST_SECOND
  const time = isTime ? momentText(new Date(seconds * 1000).toISOString()) : words("unknown")
  const author = textOf(commit, "author")
  const isOwn = author?.toLowerCase() === wallet.toLowerCase()
  const action = textOf(commit, "actionName")
  // What a record says when nothing was said: the action is in the heading already.
  const message = [textOf(commit, "abstract")].find((text) => text !== `Action ${action}.`)
  return (
    <li class="card commit">
      <div class="top">
        <h3>
          {time} · <Strange text={action ?? words("unknownAction")} longest={60} />
        </h3>
        <span class={isOwn ? "badge" : "badge other"}>{words(isOwn ? "ofYou" : "ofOther")}</span>
      </div>
      {message && (
        <p>
          <Strange text={message} longest={1_000} />
        </p>
      )}
      {commit === undefined ? (
        <pre>
          <Strange text={commitData ?? ""} longest={2_000} />
        </pre>
      ) : (
        <section>
          <h4>{words(before === undefined ? "whatItSays" : "whatChanged")}</h4>
          <Difference tree={tree} before={before === undefined ? undefined : (oldTree ?? "missing")} />
        </section>
      )}
      {treeCid && (
        <CommitActions {...{ assetCid, isOwn, wallet, treeCid }} proof={`/proofs/${encodeURIComponent(treeCid)}`} />
      )}
      <details>
        <summary>{words("onLedger")}</summary>
        <Facts
          rows={[
            [words("author"), <Strange text={author ?? words("unknown")} />],
            [words("recorder"), <Strange text={recorder} />],
            [
              words("transaction"),
              <>
                <a href={`/explorer/${network}/tx/${encodeURIComponent(txHash)}`}>
                  <Strange text={txHash} />
                </a>{" "}
                · <Say of="block" number={String(blockNumber)} />
              </>
            ],
            ...(treeCid === undefined
              ? []
              : [
                  [
                    words("signedProperties"),
                    <a href={`/ipfs/${encodeURIComponent(treeCid)}`}>
                      <Strange text={treeCid} />
                    </a>
                  ] as const
                ])
          ]}
        />
        <p class="soft">{words("claimed")}</p>
      </details>
    </li>
  )
}

interface ActionsProps {
  readonly assetCid: string
  readonly isOwn: boolean
  readonly wallet: string
  readonly treeCid: string
  readonly proof: string
}

const CommitActions = ({ assetCid, isOwn, proof, treeCid, wallet }: ActionsProps) => {
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const save = (form: "json" | "html") =>
    void answerTo(form === "html" ? `${proof}?form=html` : proof)
      .then((answer) => saveAnswer(answer, `${treeCid}.proof.${form}`))
      .catch((error: unknown) => setProblem(problemOf(error)))
  return (
    <>
      {problem && <Trouble problem={problem} />}
      <Verdict key={proof} proof={proof} assetCid={assetCid} wallet={wallet} isOwn={isOwn}>
        <button type="button" class="small" onClick={() => save("json")}>
          {words("saveProof")}
        </button>
        <button type="button" class="small" onClick={() => save("html")}>
          {words("savePage")}
        </button>
      </Verdict>
    </>
  )
}
