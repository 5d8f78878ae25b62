/** Programs that may call in this account's name. Their tokens are shown to nobody again; here they can be taken back. */
import { useState } from "preact/hooks"
import { ask, type Problem } from "../Api.ts"
import { problemOf, useAnswer } from "../Hooks.ts"
import { momentText, words } from "../Language.ts"
import { Facts, Heading, Shown, Trouble } from "../Parts.tsx"
import { Say, Strange, seen } from "../Say.tsx"
import type { Tool } from "../Types.ts"
import { PairForm, scopesText } from "./PairForm.tsx"

export const ToolsView = ({ code }: { readonly code: string | undefined }) => {
  const [tools, again] = useAnswer<{ readonly tools: ReadonlyArray<Tool> }>("/console/tools")
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const revoke = (id: string) =>
    ask(`/console/tools/${encodeURIComponent(id)}/revoke`, { method: "POST" })
      .then(again)
      .catch((error: unknown) => setProblem(problemOf(error)))
  return (
    <>
      <Heading>{words("viewTools")}</Heading>
      <p class="lead">{words("toolsMeans")}</p>
      <PairForm code={code} paired={again} />
      {problem && <Trouble problem={problem} />}
      <Shown asked={tools}>
        {({ tools: known }) => {
          const live = known.filter(({ revokedAt }) => revokedAt === null)
          return live.length === 0 ? (
            <p class="card empty">{words("noTools")}</p>
          ) : (
            <ul class="plain">
              {live.map((tool) => (
                <ToolCard key={tool.id} tool={tool} revoke={() => void revoke(tool.id)} />
              ))}
            </ul>
          )
        }}
      </Shown>
    </>
  )
}

const ToolCard = ({ revoke, tool }: { readonly tool: Tool; readonly revoke: () => void }) => {
  const [isSure, setSure] = useState(false)
  return (
    <li class="card">
      <h2>
        <Strange text={tool.name === "" ? tool.id : tool.name} />
      </h2>
      <Facts
        rows={[
          [words("toolSince"), momentText(tool.createdAt)],
          [words("toolLastUsed"), tool.lastUsedAt === null ? words("never") : momentText(tool.lastUsedAt)],
          [words("toolMay"), words(tool.scopes === null ? "mayAll" : "maySome", { scopes: scopesText(tool.scopes) })],
          [
            words("toolSpent"),
            tool.dailyLimit === null
              ? tool.spentToday
              : words("toolSpentOf", { spent: tool.spentToday, limit: tool.dailyLimit })
          ],
          ...(tool.origin === null ? [] : [[words("toolOrigin"), <Strange text={tool.origin} />] as const]),
          ...(tool.expiresAt === null ? [] : [[words("toolUntil"), momentText(tool.expiresAt)] as const])
        ]}
      />
      {isSure ? (
        <fieldset class="actions">
          <legend class="hidden">{words("revoke")}</legend>
          <p>
            <Say of="revokeSure" tool={tool.name} />
          </p>
          <button type="button" class="danger" onClick={revoke}>
            {words("revokeYes")}
          </button>
          <button type="button" onClick={() => setSure(false)}>
            {words("cancel")}
          </button>
        </fieldset>
      ) : (
        <button type="button" onClick={() => setSure(true)} aria-label={`${words("revoke")}: ${seen(tool.name)}`}>
          {words("revoke")}
        </button>
      )}
    </li>
  )
}
