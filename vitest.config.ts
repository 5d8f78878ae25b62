/**
 * The tests, in three projects. Files that leave nothing behind for another file to see share their workers, and with them what is compiled
 * and one running daemon of usual settings; of these, the ones that run no command need none built. The others have a process each.
 * `npm run test:long` runs the files of which `npm test` runs a part, whole. No retries, so that a flake is seen; and no test ends for being
 * slow on a busy machine, for what has to be quick is asserted in its test.
 */
import { resolve } from "node:path"
import { defineConfig } from "vitest/config"
import LongestFirst from "./test/LongestFirst.ts"

const conditions = ["@treemark/source", "node", "import", "module", "default"]
/** What is pure, and rooms of the daemon whose tests open their parts (stores, nodes, listeners) in a scope and close it. */
const PURE = [
  "test/core/**/*.test.ts",
  "test/daemon/{accounts,books,evm,http,telemetry,wallets}/**/*.test.ts",
  "test/daemon/{commits,keeping}/!(Replicas|Shared|CopyStore).test.ts",
  "test/{boundaries,documents,mutants/Places}.test.ts"
]
/** Those that change their process for what comes after (its environment, its memory), or keep it busy for long. */
const ALONE = [
  "test/{faults,fuzz}/**/*.test.ts",
  "test/daemon/{Postgres,QueryPlans}.test.ts",
  "test/daemon/commits/{Replicas,Shared}.test.ts",
  "test/daemon/keeping/CopyStore.test.ts",
  "test/daemon/devchain/Durability.test.ts",
  "test/{packages/Library,readme}.test.ts",
  // What a process is said to need at most begins with what the one that started it had.
  "test/verify/{Hostile,Oversized}.test.ts"
]
/** Those whose amounts of work `test/layers/Long.ts` decides. */
const LONG = [
  "test/faults/{CrashMatrix,Kill,Ledger,SignalsDuring}.test.ts",
  "test/daemon/commits/{IndexKilled,Replicas}.test.ts",
  "test/daemon/devchain/Durability.test.ts",
  "test/end-to-end/Add.test.ts",
  "test/packages/Library.test.ts",
  "test/fuzz/Fuzz.test.ts",
  "test/verify/{Backends,Doors,Oversized}.test.ts",
  "test/web/{Desk,ManyAssets}.test.ts"
]
/** Those that build or install much, and run whole or not at all. */
const ONLY_LONG = ["test/packages/{GeneratedClients,Services}.test.ts"]
const TEN_MINUTES = 600_000

/** Code of libraries is compiled once and not by each worker and each command; Node looks whether it still fits. */
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/treemark-test-compiled")

const built = { globalSetup: "./test/GlobalSetup.ts" }
const usual = [
  { name: "alone", include: ALONE, ...built },
  {
    name: "shared",
    include: ["test/**/*.test.ts"],
    exclude: [...ALONE, ...PURE, ...ONLY_LONG],
    isolate: false,
    ...built
  },
  { name: "pure", include: PURE, isolate: false }
]
const long = [{ name: "long", include: [...LONG, ...ONLY_LONG], ...built }]
/** Against other people's programs, which `npm run test:peers` (peers/main.ts) sets up. */
const peers = [{ name: "peers", include: ["test/peers/*.peer.ts"], ...built }]
const isSet = (name: string): boolean => process.env[name] !== undefined
const projects = isSet("TREEMARK_TEST_PEERS") ? peers : isSet("TREEMARK_TEST_LONG") ? long : usual

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    testTimeout: TEN_MINUTES,
    hookTimeout: TEN_MINUTES,
    setupFiles: ["./test/layers/AnswersDescribed.ts"],
    pool: "forks",
    /** More than the two cores there are, as many tests wait for blocks, leases and processes. */
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/PlainSummary.ts"],
    projects: projects.map((test) => ({ extends: true as const, test }))
  }
})
