/** Starts `treemarkd`: what is plain is done at once (quick/), and for everything else the whole command line is loaded. */
import { quick } from "./quick/Quick.ts"
import { keepSmall } from "./YoungMemory.ts"

if (process.argv.includes("start")) keepSmall()
if (!(await quick(process.argv.slice(2)))) await import("./Run.ts")
