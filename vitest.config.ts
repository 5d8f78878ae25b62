/** One configuration for every test; no retries, so that a flake is seen. */
import { defineConfig } from "vitest/config"

const conditions = ["@treemark/source", "node", "import", "module", "default"]

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./test/PlainSummary.ts"]
  }
})
