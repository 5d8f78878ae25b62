/**
 * A commit checked in place: its proof and the file itself are fetched as anybody would get them, and verified here, in the browser, by the verifier that
 * runs offline, too. It is asked for, and what it says is what that verifier says.
 */
import { AssetMeter, inputOfProof, PROOF_LIMIT, parseProof, type Report, verify } from "@treemark/core/verify"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { answerTo, Problem } from "../Api.ts"
import { problemOf } from "../Hooks.ts"
import { words } from "../Language.ts"
import type { Key } from "../languages/English.ts"
import { Trouble } from "../Parts.tsx"
import { Say, Strange } from "../Say.tsx"

/** A larger file is compared on the page that checks proofs, which takes it from the disk. */
const MOST_COMPARED = 128 * 1024 * 1024

const measured = async (assetCid: string) => {
  const answer = await answerTo(`/ipfs/${encodeURIComponent(assetCid)}`)
  const meter = new AssetMeter({ unixfs: true })
  const reader = answer.body?.getReader()
  for (let size = 0; reader !== undefined; ) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > MOST_COMPARED) {
      await reader.cancel()
      return undefined
    }
    meter.update(value)
  }
  return meter.measured()
}

interface Asked {
  readonly proof: string
  readonly assetCid: string
  /** Whose key is expected: the account's own. */
  readonly wallet: string
  /** Whether the author that the record names is that one. */
  readonly isOwn: boolean
}

const check = async ({ assetCid, isOwn, proof, wallet }: Asked): Promise<Report | undefined> => {
  const bytes = new Uint8Array(await (await answerTo(proof)).arrayBuffer())
  const reading = bytes.length > PROOF_LIMIT ? undefined : parseProof(bytes)
  if (reading?.ok !== true) return undefined
  const asset = await measured(assetCid).catch(() => undefined)
  return verify({
    ...inputOfProof(reading.proof),
    ...(asset === undefined ? {} : { asset }),
    ...(isOwn ? { expectedAuthor: wallet } : {})
  })
}

const FILE = {
  same: "fileSame",
  different: "fileDifferent",
  "not-given": "fileOpen",
  "not-comparable": "fileOpen"
} as const
const WHO = {
  expected: "whoYou",
  named: "whoOther",
  unknown: "whoOther",
  "not-the-author": "whoNotAuthor",
  nobody: "whoNobody"
} as const
const WHEN = { proven: "whenProven", claimed: "whenClaimed", none: "whenClaimed" } as const
const HEAD: Readonly<Record<Report["verdict"], Key>> = {
  valid: "verdictValid",
  unconfirmed: "verdictUnconfirmed",
  invalid: "verdictInvalid"
}

/** `children`: what else may be done, beside the button that begins. */
export const Verdict = ({ children, ...asked }: Asked & { readonly children: ComponentChildren }) => {
  const [state, setState] = useState<Report | "checking" | "unusable" | Problem | undefined>(undefined)
  const begin = () => {
    setState("checking")
    check(asked).then(
      (report) => setState(report ?? "unusable"),
      (error: unknown) => setState(problemOf(error))
    )
  }
  return (
    <>
      <div class="actions">
        {state === undefined && (
          <button type="button" class="small" onClick={begin}>
            {words("verifyHere")}
          </button>
        )}
        {children}
      </div>
      {state === "checking" && (
        <p class="soft" role="status">
          {words("checking")}
        </p>
      )}
      {state === "unusable" && <p class="warn">{words("proofUnusable")}</p>}
      {state instanceof Problem && <Trouble problem={state} again={begin} />}
      {typeof state === "object" && !(state instanceof Problem) && <Told report={state} proof={asked.proof} />}
    </>
  )
}

const Told = ({ proof, report }: { readonly proof: string; readonly report: Report }) => {
  const { answers, checks, signer, verdict } = report
  const failed = checks.filter(({ outcome }) => outcome === "fail")
  const passed = checks.filter(({ outcome }) => outcome === "pass").length
  return (
    <div class={`verdict ${verdict}`} role="status">
      <h4>{words(HEAD[verdict])}</h4>
      <ul>
        <li>{words(FILE[answers.file])}</li>
        <li>
          <Say of={WHO[answers.who]} signer={signer ?? words("unknown")} />
        </li>
        <li>{words(WHEN[answers.when])}</li>
        <li>{words("checksPassed", { passed, failed: failed.length })}</li>
        {failed.map(({ code, name }) => (
          <li key={name}>
            <Strange text={`${name}: ${code}`} />
          </li>
        ))}
      </ul>
      <a href={`/verify?proof=${encodeURIComponent(proof)}`}>{words("wholeCheck")}</a>
    </div>
  )
}
