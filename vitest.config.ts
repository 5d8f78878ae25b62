/**
 * The tests, in two projects: what is pure shares its workers, as it leaves nothing behind that another file would see; what runs real
 * parts (processes, stores, chains, sockets) has a process for each file, and the commands built beforehand. No retries, so that a flake is seen.
 */
import { defineConfig } from "vitest/config"

const conditions = ["@treemark/source", "node", "import", "module", "default"]
const PURE = ["test/core/**/*.test.ts", "test/boundaries.test.ts"]

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./test/PlainSummary.ts"],
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: PURE,
          globalSetup: "./test/GlobalSetup.ts"
        }
      }
    ]
  }
})
