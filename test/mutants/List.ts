/** Every change, with the test that must fail for it. A change of the sources that moves a place moves it here, too. */
import { COMMITS } from "./Commits.ts"
import { EDGE_MUTANTS } from "./Edge.ts"
import { JOBS } from "./Jobs.ts"
import { LEDGER } from "./Ledger.ts"
import { MONEY } from "./Money.ts"
import type { Mutant } from "./Mutant.ts"
import { SIGNATURES } from "./Signatures.ts"
import { STORE } from "./Store.ts"
import { VERIFICATION } from "./Verification.ts"

export const MUTANTS: ReadonlyArray<Mutant> = [
  ...COMMITS,
  ...MONEY,
  ...SIGNATURES,
  ...VERIFICATION,
  ...STORE,
  ...JOBS,
  ...LEDGER,
  ...EDGE_MUTANTS
]
