#!/usr/bin/env node
// Starts treemark-verify: from its sources in a checkout, from dist/ when installed. Readable by old versions of Node,
// so that those get a message instead of a syntax error.
const { existsSync } = await import("node:fs")
const isCheckout = existsSync(new URL("../src/bin.ts", import.meta.url))
const needed = isCheckout ? 24 : 20
if (Number(process.versions.node.split(".")[0]) < needed) {
  console.error(
    `treemark-verify needs Node ${needed} or newer; this is Node ${process.versions.node}. Nothing was checked.\n` +
      `Install a newer Node, or run it with \`npx -p node@24 -p @treemark/verify treemark-verify\`.`
  )
  process.exit(2)
}

if (isCheckout) {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: [...context.conditions, "@treemark/source"] })
  })
  await import("../src/bin.ts")
} else {
  await import("../dist/bin.js")
}
