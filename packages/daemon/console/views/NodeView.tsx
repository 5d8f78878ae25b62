/** The daemon itself: whether it can serve, which networks it commits to, and its version. */
import { useAnswer } from "../Hooks.ts"
import { words } from "../Language.ts"
import { Facts, Heading, Shown } from "../Parts.tsx"
import { Strange } from "../Say.tsx"

interface Ready {
  readonly checks: ReadonlyArray<{ readonly name: string; readonly ok: boolean; readonly detail: string }>
}
interface Networks {
  readonly networks: ReadonlyArray<{
    readonly testnet: boolean
    readonly name: string
    readonly chainId: number
    readonly contract: string
  }>
}

export const NodeView = () => {
  const [ready, again] = useAnswer<Ready>("/ready")
  const [networks] = useAnswer<Networks>("/networks")
  const [version] = useAnswer<{ readonly version: string }>("/version")
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
        <Shown asked={ready}>
          {({ checks }) => (
            <ul class="checks">
              {checks.map(({ detail, name, ok }) => (
                <li key={name}>
                  <span class={ok ? "mark good" : "mark bad"} aria-hidden="true">
                    {ok ? "✓" : "✗"}
                  </span>
                  <span class="hidden">{words(ok ? "checkGood" : "checkBad")}</span>
                  <strong>{name}</strong> <Strange text={detail} />
                </li>
              ))}
            </ul>
          )}
        </Shown>
      </section>
      <section class="card" aria-labelledby="networks-title">
        <h2 id="networks-title">{words("networksTitle")}</h2>
        <Shown asked={networks}>
          {(found) => (
            <Facts
              rows={found.networks.map(({ chainId, contract, name, testnet }) => [
                words(testnet ? "testnet" : "mainnet"),
                <>
                  <Strange text={name} /> · {words("chain", { chainId: String(chainId) })} · <Strange text={contract} />
                </>
              ])}
            />
          )}
        </Shown>
      </section>
      <section class="card" aria-labelledby="version-title">
        <h2 id="version-title">{words("versionTitle")}</h2>
        <Shown asked={version}>{(found) => <p>Treemark {found.version}</p>}</Shown>
      </section>
    </>
  )
}
