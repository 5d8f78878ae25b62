/** The account: what it has, where, what it spent, and signing out. */
import { useMemo, useState } from "preact/hooks"
import { answerTo } from "../Api.ts"
import { useAnswer } from "../Hooks.ts"
import { dayText, momentText, words } from "../Language.ts"
import { tokens, units } from "../Money.ts"
import { Copy, Facts, Heading, Shown } from "../Parts.tsx"
import { saveAnswer } from "../Save.ts"
import { Say, Strange } from "../Say.tsx"
import type { Account, Movement } from "../Types.ts"

interface Balances {
  readonly networks: ReadonlyArray<{ readonly name: string; readonly chainId: number; readonly balance: string | null }>
}

interface Statement {
  readonly movements: ReadonlyArray<Movement>
  readonly closing: { readonly owed: string }
}

const LATEST = 50
const DAYS = 14

export const AccountView = ({ signOut }: { readonly signOut: (everywhere: boolean) => void }) => {
  const [account, again] = useAnswer<Account>("/account")
  const [balances] = useAnswer<Balances>("/console/balances")
  const [since] = useState(() => new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10))
  const [statement] = useAnswer<Statement>(`/account/statement?from=${since}`)
  const save = () => void answerTo("/account/statement").then((answer) => saveAnswer(answer, "statement.json"))
  return (
    <>
      <Heading>{words("viewAccount")}</Heading>
      <Shown asked={account} again={again}>
        {({ credits, name, wallet }) => (
          <section class="card" aria-labelledby="funds-title">
            <h2 id="funds-title">
              <Strange text={name} />
            </h2>
            <Facts
              rows={[
                [words("credits"), <strong class="big">{credits}</strong>],
                [
                  words("wallet"),
                  <>
                    <Strange text={wallet} /> <Copy text={wallet} />
                  </>
                ]
              ]}
            />
            <p class="soft">{words("creditsMeans")}</p>
          </section>
        )}
      </Shown>
      <section class="card" aria-labelledby="balances-title">
        <h2 id="balances-title">{words("balancesTitle")}</h2>
        <Shown asked={balances}>
          {({ networks }) => (
            <Facts
              rows={networks.map(({ balance, chainId, name }) => [
                `${name} (${chainId})`,
                balance ?? <span class="soft">{words("noAnswer")}</span>
              ])}
            />
          )}
        </Shown>
      </section>
      <section class="card" aria-labelledby="statement-title">
        <div class="top">
          <h2 id="statement-title">{words("statementTitle")}</h2>
          <button type="button" onClick={save}>
            {words("saveStatement")}
          </button>
        </div>
        <Shown asked={statement}>{(found) => <Movements {...found} />}</Shown>
      </section>
      <section class="card" aria-labelledby="leave-title">
        <h2 id="leave-title">{words("signOutTitle")}</h2>
        <p class="soft">{words("signOutMeans")}</p>
        <div class="actions">
          <button type="button" onClick={() => signOut(false)}>
            {words("signOut")}
          </button>
          <button type="button" onClick={() => signOut(true)}>
            {words("signOutEverywhere")}
          </button>
        </div>
      </section>
    </>
  )
}

/** Spent, as a number above zero: credits that went, and what the wallet owes since. */
const spent = ({ credits, owed }: Movement): bigint => units(owed) - units(credits)

const signed = (amount: bigint): string => (amount > 0n ? `+${tokens(amount)}` : tokens(amount).replace("-", "−"))

const Movements = ({ closing, movements }: Statement) => {
  const days = useMemo(() => {
    const sums = new Map<string, bigint>()
    for (const movement of movements) {
      if (movement.kind !== "charge") continue
      const day = dayText(movement.at)
      sums.set(day, (sums.get(day) ?? 0n) + spent(movement))
    }
    return [...sums].reverse()
  }, [movements])
  const owed = closing.owed === "0" ? null : <p>{words("owes", { owed: closing.owed })}</p>
  if (movements.length === 0) return owed ?? <p class="soft">{words("noMovements")}</p>
  return (
    <>
      {owed}
      {days.length > 0 && (
        <>
          <h3>{words("spentByDay")}</h3>
          <Facts rows={days.map(([day, sum]) => [day, tokens(sum)])} />
        </>
      )}
      <h3>{words("latestMovements")}</h3>

      <table>
        <thead>
          <tr>
            <th scope="col">{words("when")}</th>
            <th scope="col">{words("what")}</th>
            <th scope="col">{words("amount")}</th>
          </tr>
        </thead>
        <tbody>
          {movements
            .slice(-LATEST)
            .toReversed()
            .map((movement) => (
              <tr key={`${movement.at} ${movement.kind} ${movement.reference}`}>
                <td>{momentText(movement.at)}</td>
                <td>
                  <Say of={movement.kind} />
                </td>
                <td class="number">{signed(-spent(movement))}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  )
}
