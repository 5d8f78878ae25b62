/** Small parts of every view. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Problem } from "./Api.ts"
import type { Asked } from "./Hooks.ts"
import { words } from "./Language.ts"
import { Say, Strange } from "./Say.tsx"

/** What went wrong, in the daemon's own words. */
export const Trouble = ({
  again,
  problem
}: {
  readonly problem: Problem
  readonly again?: (() => void) | undefined
}) => (
  <div class="card notice" role="alert">
    <h2>
      <Say of={problem.code === "unreachable" ? "unreachable" : "didNotWork"} />
    </h2>
    <p>
      {problem.code === "unreachable" ? (
        <Say of="unreachableMeans" />
      ) : (
        <Strange text={problem.message} longest={1_000} />
      )}
    </p>
    {again && (
      <button type="button" onClick={again}>
        {words("tryAgain")}
      </button>
    )}
  </div>
)

/** What was asked for, once it is here. */
export function Shown<A>({
  again,
  asked,
  children
}: {
  readonly asked: Asked<A>
  readonly again?: () => void
  readonly children: (value: A) => ComponentChildren
}) {
  if (asked.is === "waiting")
    return (
      <p class="soft" role="status">
        {words("loading")}
      </p>
    )
  if (asked.is === "failed") return <Trouble problem={asked.problem} again={again} />
  return <>{children(asked.value)}</>
}

/** Labels and values. */
export const Facts = ({
  rows
}: {
  readonly rows: ReadonlyArray<readonly [label: string, value: ComponentChildren]>
}) => (
  <dl class="facts">
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The heading of a view: it takes the focus when the view is gone to, so that a screen reader says where it is. */
export const Heading = ({ children }: { readonly children: ComponentChildren }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

/** Copies a text, and says so. */
export const Copy = ({ text }: { readonly text: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard?.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" class="small" onClick={copy}>
      {words(isCopied ? "copied" : "copy")}
    </button>
  )
}
