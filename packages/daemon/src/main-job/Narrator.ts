/** What `npm start` prints: a line for each step, and at the end what to try next, ready to paste. */
import { Console, type Effect } from "effect"

/** One step of the job with its result. */
export const step = (name: string, result: string): Effect.Effect<void> => Console.log(`✓ ${name.padEnd(11)}${result}`)

/** The commands that do by hand what was just done, with this run's own values. */
export const nextSteps = (facts: {
  readonly url: string
  readonly token: string
  readonly wallet: string
  readonly request: unknown
  readonly explorer: string
  readonly proofFile: string
  readonly photo: string
}): Effect.Effect<void> =>
  Console.log(`
Try next
  the transaction    ${facts.explorer}
  the API            ${facts.url}/docs

  curl -X POST ${facts.url}/balance/mainnet -H 'Content-Type: application/json' \\
    -d '{"wallet":"${facts.wallet}"}'

  curl -X POST ${facts.url}/balance/all-networks -H 'Content-Type: application/json' \\
    -H 'Authorization: token ${facts.token}' -d '{"wallet":"${facts.wallet}"}'

  curl -X POST ${facts.url}/commit -H 'Content-Type: application/json' \\
    -H 'Authorization: token ${facts.token}' \\
    -d '${JSON.stringify(facts.request)}'

  npx @treemark/verify ${facts.proofFile} --asset ${facts.photo}
  npx @treemark/daemon status`)
