/** What a commit says that the one before it did not: its signed properties against those before, each by a name that people use. */
import type { JsonObject } from "@treemark/core/verify"
import { type Change, changesOf } from "../../../core/src/history/JsonPatch.ts"
import type { JsonValue } from "../../../core/src/json/JsonValue.ts"
import { momentText, words } from "../Language.ts"
import type { Key } from "../languages/English.ts"
import { Strange } from "../Say.tsx"
import type { Tree } from "./Trees.ts"

const NAMES: Readonly<Record<string, Key>> = {
  "/assetCreator": "creator",
  "/license": "licenseName",
  "/license/name": "licenseName",
  "/license/document": "licenseDocument",
  "/headline": "headline",
  "/abstract": "caption",
  "/assetTimestampCreated": "madeAt",
  "/creatorWallet": "authorsWallet",
  "/encodingFormat": "kind",
  "/assetSourceType": "source"
}

/** What names the asset itself, which every tree of it says alike. */
const SAME = new Set(["/assetCid", "/assetSha256"])
const MOST = 40

/** `before` undefined: this is the first commit. */
export const Difference = ({
  before,
  tree
}: {
  readonly before: Tree | undefined
  readonly tree: Tree | undefined
}) => {
  if (tree === undefined) return <p class="soft">{words("loading")}</p>
  if (tree === "missing") return <p class="soft">{words("treeMissing")}</p>
  const old = before === undefined || before === "missing" ? {} : before
  const changes = flat(changesOf(old as JsonValue, tree as JsonValue)).filter(({ path }) => !SAME.has(path))
  if (changes.length === 0) return <p class="soft">{words("nothingChanged")}</p>
  return (
    <dl class="facts changes">
      {changes.slice(0, MOST).map((change) => (
        <div key={change.path}>
          <dt>{nameOf(change.path)}</dt>
          <dd>
            {change.before !== undefined && change.before !== null && (
              <del>
                <Value path={change.path} value={change.before} />
              </del>
            )}{" "}
            {change.after === undefined || change.after === null ? (
              <span class="soft">{words(change.before === undefined ? "notStated" : "takenOut")}</span>
            ) : (
              <ins class={change.before === undefined || change.before === null ? "plain" : ""}>
                <Value path={change.path} value={change.after} />
              </ins>
            )}
          </dd>
        </div>
      ))}
      {changes.length > MOST && <p class="soft">{words("moreChanges", { count: changes.length - MOST })}</p>}
    </dl>
  )
}

/** A licence that was not there before is two properties to people. */
const flat = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.flatMap((change) => {
    if (change.path !== "/license") return [change]
    const [before, after] = [change.before, change.after].map((side) => (isObject(side) ? side : undefined))
    if (before === undefined && after === undefined) return [change]
    return ["name", "document"].map((name) => ({
      path: `/license/${name}`,
      before: before?.[name] as JsonValue | undefined,
      after: after?.[name] as JsonValue | undefined
    }))
  })

const isObject = (value: JsonValue | undefined): value is JsonObject & JsonValue =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const nameOf = (path: string) => {
  const known = NAMES[path]
  return known === undefined ? <Strange text={path.slice(1)} longest={60} /> : words(known)
}

const Value = ({ path, value }: { readonly path: string; readonly value: JsonValue }) => {
  const isTime = path === "/assetTimestampCreated" && typeof value === "number" && value <= 253_402_300_799
  const text = isTime ? momentText(new Date(value * 1_000).toISOString()) : value
  return <Strange text={typeof text === "string" ? text : JSON.stringify(text)} longest={500} />
}
