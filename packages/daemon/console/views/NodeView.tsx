/** The daemon itself: whether it can serve, its chains and how far they are, what is under way, disks, version, and the log's last lines. */
import { useEffect } from "preact/hooks"
import { useAnswer } from "../Hooks.ts"
import { momentText, numberText, sizeText, words } from "../Language.ts"
import type { Key } from "../languages/English.ts"
import { Facts, Heading, Shown } from "../Parts.tsx"
import { Strange } from "../Say.tsx"
import type { NodeFacts } from "../Types.ts"

interface Ready {
  readonly checks: ReadonlyArray<{ readonly name: string; readonly ok: boolean; readonly detail: string }>
}

const LOOKED_AGAIN = 5_000
/** Looking is using the session, which ends when nobody does: a page that nobody sits before stops looking. */
const ATTENDED = 5 * 60_000

export const NodeView = () => {
  const [ready, readyAgain] = useAnswer<Ready>("/ready")
  const [facts, factsAgain] = useAnswer<NodeFacts>("/console/node")
  useEffect(() => {
    let attendedAt = Date.now()
    const attended = () => {
      attendedAt = Date.now()
    }
    const again = setInterval(() => {
      if (!document.hidden && Date.now() - attendedAt < ATTENDED) factsAgain()
    }, LOOKED_AGAIN)
    const signs = ["pointermove", "keydown", "scroll"]
    for (const sign of signs) addEventListener(sign, attended, { passive: true })
    return () => {
      clearInterval(again)
      for (const sign of signs) removeEventListener(sign, attended)
    }
  }, [])
  const again = () => {
    readyAgain()
    factsAgain()
  }
  return (
    <>
      <Heading>{words("viewNode")}</Heading>
      <section class="card" aria-labelledby="ready-title">
        <div class="top">
          <h2 id="ready-title">{words("readyTitle")}</h2>
          <button type="button" onClick={again}>
            {words("lookAgain")}
          </button>
        </div>
        <Shown asked={ready} again={readyAgain}>
          {({ checks }) => (
            <ul class="checks">
              {checks.map(({ detail, name, ok }) => (
                <li key={name}>
                  <span class={ok ? "mark good" : "mark bad"} aria-hidden="true">
                    {ok ? "✓" : "✗"}
                  </span>
                  <span class="hidden">{words(ok ? "checkGood" : "checkBad")}</span>
                  <span>
                    <strong>{name}</strong> <Strange text={detail} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Shown>
      </section>
      <Shown asked={facts} again={factsAgain}>
        {(found) => <Details {...found} />}
      </Shown>
    </>
  )
}

const Details = (facts: NodeFacts) => (
  <>
    <div class="columns">
      {facts.networks.map(({ chainId, contract, head, name, role }) => (
        <section key={role} class="card" aria-labelledby={`network-${role}`}>
          <h2 id={`network-${role}`}>{words(role)}</h2>
          <Facts
            rows={[
              [words("networkName"), <Strange text={name} />],
              [words("chainId"), String(chainId)],
              [
                words("head"),
                head === null ? (
                  <span class="warn">{words("noAnswer")}</span>
                ) : (
                  `${numberText(head.number)} · ${momentText(head.at)}`
                )
              ],
              [words("contract"), <Strange text={contract} />]
            ]}
          />
        </section>
      ))}
    </div>
    <div class="columns">
      <section class="card" aria-labelledby="jobs-title">
        <h2 id="jobs-title">{words("jobsTitle")}</h2>
        {facts.jobs.length === 0 ? (
          <p class="soft">{words("noJobs")}</p>
        ) : (
          <Facts
            rows={facts.jobs.map(({ count, kind, since, state }) => [
              words(`${kind}Jobs`, { count }),
              words("jobState", { state: words(jobStates[state] ?? "unknown"), since: momentText(since) })
            ])}
          />
        )}
      </section>
      <section class="card" aria-labelledby="disk-title">
        <h2 id="disk-title">{words("diskTitle")}</h2>
        {facts.disks.map(({ folder, free, size }) => (
          <div key={folder} class="disk">
            <p>
              <Strange text={folder} />
            </p>
            {free === null || size === null ? (
              <p class="soft">{words("unknown")}</p>
            ) : (
              <>
                <meter min={0} max={size} value={size - free} high={size * 0.95} aria-label={words("diskTitle")} />
                <p class="soft">{words("diskFree", { free: sizeText(free), size: sizeText(size) })}</p>
              </>
            )}
          </div>
        ))}
      </section>
    </div>
    <section class="card" aria-labelledby="version-title">
      <h2 id="version-title">{words("processTitle")}</h2>
      <Facts
        rows={[
          [words("versionTitle"), `Treemark ${facts.version}`],
          [words("runsSince"), `${momentText(facts.startedAt)} (${words("pid", { pid: String(facts.pid) })})`],
          [words("memory"), sizeText(facts.memory)],
          [words("profile"), <Strange text={facts.profile} />],
          [words("home"), <Strange text={facts.home} />]
        ]}
      />
    </section>
    <section class="card" aria-labelledby="log-title">
      <h2 id="log-title">{words("logTitle")}</h2>
      {facts.log.length === 0 ? (
        <p class="soft">{words("noLog")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section class="log" tabIndex={0} aria-label={words("logTitle")}>
          <pre>
            {facts.log.toReversed().map((line, at) => [<Strange key={at} text={line} longest={2_000} />, "\n"])}
          </pre>
        </section>
      )}
    </section>
  </>
)

const jobStates: Readonly<Record<string, Key>> = { queued: "jobQueued", signed: "jobSigned", sent: "jobSent" }
