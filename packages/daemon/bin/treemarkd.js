#!/usr/bin/env node
// Runs the bundle of a released package, or the sources of a checkout (where this package's src folder exists). The guard comes
// first, and nothing that old versions of Node lack is imported by name before it, so that those get a message.
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"

nodeModule.createRequire(import.meta.url)("./need-node24.cjs")

const source = new URL("../src/cli/main.ts", import.meta.url)
if (existsSync(source)) {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "@treemark/source"] })
  })
  await import(source.href)
} else {
  await import("../dist/treemarkd.js")
}
