// Stops with a clear message on a Node older than 24. Plain CommonJS, so that any Node can read it.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  console.error(
    `Treemark needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      "In a checkout, `npm ci` brings Node 24 along (the npm package `node`); if it did not, its install script was blocked:\n" +
      "run `npm ci --ignore-scripts=false`, then the same command again through npm (`npm start`, `npm test`, `npx treemarkd`)."
  )
  process.exit(1)
}
