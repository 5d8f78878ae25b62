/** Files to commits: choose, describe once for all, see the price of the whole, commit. The queue goes on while other views are looked at. */
import { useEffect, useState } from "preact/hooks"
import { ask, type Session } from "../Api.ts"
import { chosen, dropped, type Given } from "../adding/Files.ts"
import type { Item, Phase } from "../adding/Queue.ts"
import type { Fields } from "../adding/Request.ts"
import { useQueue } from "../Hooks.ts"
import { numberText, sizeText, words } from "../Language.ts"
import { atMost, tokens, units } from "../Money.ts"
import { Heading, Trouble } from "../Parts.tsx"
import { hrefOf } from "../Route.ts"
import { Say, Strange, seen } from "../Say.tsx"
import type { Account } from "../Types.ts"
import { DescribeForm, keptFields } from "./DescribeForm.tsx"

export const AddView = ({ session }: { readonly session: Session }) => {
  const queue = useQueue()
  const [fields, setFields] = useState<Fields>(() => keptFields(session.account.name))
  const [isOver, setOver] = useState(false)
  const take = (given: ReadonlyArray<Given>) => queue.add(given)
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    }
    const out = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      if (event.dataTransfer !== null) void dropped(event.dataTransfer).then(take)
    }
    const listeners = { dragover: over, dragleave: out, drop } as const
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener as EventListener)
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        document.removeEventListener(name, listener as EventListener)
    }
  }, [])
  const isOpen = queue.phase === "choosing" || queue.phase === "finished" || queue.phase === "priced"
  return (
    <>
      <Heading>{words("viewAdd")}</Heading>
      {isOpen && <Choose isOver={isOver} take={take} />}
      {queue.items.length > 0 && queue.phase === "choosing" && (
        <DescribeForm
          fields={fields}
          change={setFields}
          submit={() => void queue.upload(fields)}
          title={words(queue.items.length === 1 ? "describeOne" : "describeTitle", { count: queue.items.length })}
          send={words("uploadAll", { count: queue.items.length })}
          hint={words("uploadMeans")}
        />
      )}
      {queue.phase === "priced" && <Price />}
      {queue.items.length > 0 && <Progress fields={fields} />}
    </>
  )
}

const Choose = ({
  isOver,
  take
}: {
  readonly isOver: boolean
  readonly take: (given: ReadonlyArray<Given>) => void
}) => {
  const pick = (input: HTMLInputElement) => {
    take(chosen([...(input.files ?? [])]))
    input.value = ""
  }
  return (
    <section class={isOver ? "card drop over" : "card drop"} aria-labelledby="choose-title">
      <h2 id="choose-title">{words("dropTitle")}</h2>
      <p>{words("dropHint")}</p>
      <div class="actions">
        <span class="pick">
          <input id="files" type="file" multiple onChange={({ currentTarget }) => pick(currentTarget)} />
          <label for="files">{words("chooseFiles")}</label>
        </span>
        <span class="pick">
          <input
            id="folder"
            type="file"
            ref={(input) => input?.setAttribute("webkitdirectory", "")}
            onChange={({ currentTarget }) => pick(currentTarget)}
          />
          <label for="folder">{words("chooseFolder")}</label>
        </span>
      </div>
    </section>
  )
}

/** What all of it costs, before any of it is spent. */
const Price = () => {
  const queue = useQueue()
  const [account, setAccount] = useState<Account | undefined>(undefined)
  useEffect(() => void ask<Account>("/account").then(setAccount, () => undefined), [])
  const priced = queue.items.filter(({ state }) => state === "priced")
  const total = priced.reduce((sum, { price }) => sum + (price ?? 0n), 0n)
  const has = account && [units(account.credits), units(account.balance)]
  const isEnough = has === undefined || has.some((amount) => amount >= total)
  return (
    <section class="card price" aria-labelledby="price-title" aria-live="polite">
      <h2 id="price-title">
        <Say of="priceTitle" count={numberText(priced.length)} total={<strong>{atMost(total)}</strong>} />
      </h2>
      <p class="soft">{words("priceMeans")}</p>
      {account && (
        <p class={isEnough ? "" : "warn"}>
          <Say of={isEnough ? "youHave" : "youLack"} credits={account.credits} balance={account.balance} />
        </p>
      )}
      <div class="actions">
        <button type="button" class="main" onClick={() => void queue.commit()}>
          {words("commitAll", { count: priced.length })}
        </button>
        <button type="button" onClick={() => queue.edit()}>
          {words("editForm")}
        </button>
      </div>
    </section>
  )
}

const SUMMARY: Readonly<
  Record<Phase, "stateChosen" | "stateUploading" | "statePriced" | "stateCommitting" | "stateFinished">
> = {
  choosing: "stateChosen",
  uploading: "stateUploading",
  priced: "statePriced",
  committing: "stateCommitting",
  finished: "stateFinished"
}

const Progress = ({ fields }: { readonly fields: Fields }) => {
  const queue = useQueue()
  const { isBusy, isPaused, items, phase, stoppedBy } = queue
  const passed = items.filter(({ state }) => state === "done" || (phase === "uploading" && state === "priced")).length
  const failed = items.filter(({ state }) => state === "failed").length
  const values = { count: items.length, done: passed, failed }
  return (
    <section class="card" aria-labelledby="files-title">
      <div class="top">
        <h2 id="files-title">
          <output>
            {words(SUMMARY[phase], values)} {failed > 0 && words("someFailed", values)}
          </output>
        </h2>
        <div class="actions">
          {isBusy && (
            <button type="button" onClick={() => (isPaused ? queue.resume() : queue.pause())}>
              {words(isPaused ? "resume" : "pause")}
            </button>
          )}
          {!isBusy && failed > 0 && (
            <button type="button" onClick={() => void queue.retry(fields)}>
              {words("retry")}
            </button>
          )}
          {!isBusy && (
            <button type="button" onClick={() => queue.clear()}>
              {words("clear")}
            </button>
          )}
        </div>
      </div>
      {isBusy && <progress max={items.length} value={passed} aria-labelledby="files-title" />}
      {isBusy && <p class="soft">{words("safeToClose")}</p>}
      {stoppedBy && <Trouble problem={stoppedBy} />}
      <ul class="files">
        {items.map((item) => (
          <FileLine key={item.id} item={item} remove={isBusy ? undefined : () => queue.remove(item.id)} />
        ))}
      </ul>
    </section>
  )
}

const FileLine = ({ item, remove }: { readonly item: Item; readonly remove: (() => void) | undefined }) => (
  <li data-state={item.state}>
    <span class="name">
      {item.registered === undefined ? (
        <Strange text={item.path} longest={120} />
      ) : (
        <a href={hrefOf("assets", item.registered.assetCid)}>
          <Strange text={item.path} longest={120} />
        </a>
      )}
    </span>
    <span class="soft">{sizeText(item.file.size)}</span>
    <span class="state">
      {item.isKnown === true ? words("wasKnown") : words(item.state)}
      {item.state === "priced" && item.price !== undefined && ` · ≤ ${tokens(item.price)}`}
    </span>
    {remove && item.state !== "done" && (
      <button type="button" class="small" aria-label={words("removeFile", { file: seen(item.path) })} onClick={remove}>
        ✕
      </button>
    )}
    {item.problem && item.state === "failed" && (
      <p class="why">
        {item.problem.code === "unreachable" ? (
          words("unreachableMeans")
        ) : (
          <Strange text={item.problem.message} longest={500} />
        )}
      </p>
    )}
  </li>
)
