/**
 * Programs in Go, built from their modules by the proxy. The module's hash is pinned here, and its own go.sum, which that hash covers, pins
 * all it is built of; Go asks the checksum database as well.
 */
import { join } from "node:path"
import { CACHE, kept, NotHad, run } from "./Cache.ts"

export interface GoProgram {
  /** What the file is called. */
  readonly name: string
  readonly module: string
  readonly version: string
  /** As in a go.sum: `h1:…`. */
  readonly sum: string
  /** The package of its main function: `./cmd/ipfs`. */
  readonly main: string
}

const ENVIRONMENT = {
  GOMODCACHE: join(CACHE, "go/mod"),
  GOCACHE: join(CACHE, "go/build"),
  GOFLAGS: "-mod=readonly -buildvcs=false",
  GOWORK: "off"
}

/** The program's file; built first when it is not there. */
export const goProgram = (program: GoProgram): Promise<string> =>
  kept(`bin/${program.name}-${program.version}-${process.platform}-${process.arch}`, async (draft) => {
    const named = `${program.module}@${program.version}`
    const answer = await run("go", ["mod", "download", "-json", named], { env: ENVIRONMENT })
    const { Dir, Sum } = JSON.parse(answer) as { readonly Dir: string; readonly Sum: string }
    if (Sum !== program.sum) throw new NotHad(`${named} has the hash ${Sum} and not ${program.sum}: it was not built`)
    await run("go", ["build", "-trimpath", "-o", draft, program.main], { env: ENVIRONMENT, cwd: Dir })
  })
