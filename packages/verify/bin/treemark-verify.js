#!/usr/bin/env node
// Starts treemark-verify: from its sources in a checkout, from dist/ when installed. Readable by old versions of Node,
// so that those get a message instead of a syntax error.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  console.error(
    `treemark-verify needs Node 24 or newer; this is Node ${process.versions.node}. Nothing was checked.\n` +
      "Install a newer Node, or run it with `npx -p node@24 -p @treemark/verify treemark-verify`."
  )
  process.exit(2)
}

const { existsSync } = await import("node:fs")
if (existsSync(new URL("../src/bin.ts", import.meta.url))) {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: [...context.conditions, "@treemark/source"] })
  })
  await import("../src/bin.ts")
} else {
  await import("../dist/bin.js")
}
