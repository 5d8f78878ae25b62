#!/usr/bin/env node
// Runs the bundle of a released package, or the sources of a checkout (where this package's src folder exists).
import { existsSync } from "node:fs"
import { createRequire, registerHooks } from "node:module"

createRequire(import.meta.url)("./need-node24.cjs")

const source = new URL("../src/cli/main.ts", import.meta.url)
if (existsSync(source)) {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@treemark/source"] })
  })
  await import(source.href)
} else {
  await import("../dist/treemarkd.js")
}
