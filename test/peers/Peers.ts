/** The peers, in the order they run: what each is, how it is had, and which variables tell its tests where it is. */
import { existsSync } from "node:fs"
import { NotHad } from "./setup/Cache.ts"
import { type GoProgram, goProgram } from "./setup/GoProgram.ts"
import { pythonFolder } from "./setup/PythonFolder.ts"

export interface Peer {
  /** How it is called on the command line; its tests are `<file>.peer.ts`. */
  readonly name: string
  readonly file: string
  /** Its programs with their versions, as the line at the end has them. */
  readonly what: string
  readonly ready: () => Promise<Readonly<Record<string, string>>>
}

const IPFS: GoProgram = {
  name: "ipfs",
  module: "github.com/ipfs/kubo",
  version: "v0.42.0",
  sum: "h1:mp40G/pAwckX54zJfIK3CTLK6S1Ae+Wa63g3I68W8cA=",
  main: "./cmd/ipfs"
}

const GETH: GoProgram = {
  name: "geth",
  module: "github.com/ethereum/go-ethereum",
  version: "v1.16.7",
  sum: "h1:qeM4TvbrWK0UC0tgkZ7NiRsmBGwsjqc64BHo20U59UQ=",
  main: "./cmd/geth"
}

const debian = (program: string, name: string) => async () => {
  if (!existsSync(program)) throw new NotHad(`${program} is not installed: apt-get install -y ${name}`)
  return {}
}

export const PEERS: ReadonlyArray<Peer> = [
  { name: "anvil", file: "Anvil", what: "anvil and cast 1.7.1", ready: async () => ({}) },
  {
    name: "clients",
    file: "Clients",
    what: "ethers 6.17.0, viem 2.57.1, eth-account 0.14.0, web3.py 8.0.0",
    ready: async () => ({ TREEMARK_PEER_WEB3: await pythonFolder("web3") })
  },
  {
    name: "geth",
    file: "Geth",
    what: `go-ethereum ${GETH.version}`,
    ready: async () => ({ TREEMARK_PEER_GETH: await goProgram(GETH) })
  },
  {
    name: "kubo",
    file: "Kubo",
    what: `Kubo ${IPFS.version}`,
    ready: async () => ({ TREEMARK_PEER_IPFS: await goProgram(IPFS) })
  },
  {
    name: "pgbouncer",
    file: "PgBouncer",
    what: "PostgreSQL, PgBouncer",
    ready: debian("/usr/sbin/pgbouncer", "pgbouncer")
  },
  {
    name: "schemathesis",
    file: "Schemathesis",
    what: "schemathesis 4.32.5",
    ready: async () => ({ TREEMARK_PEER_SCHEMATHESIS: await pythonFolder("schemathesis") })
  },
  {
    name: "dask",
    file: "Bulk",
    what: "Dask 2026.8.0",
    ready: async () => ({ TREEMARK_PEER_DASK: await pythonFolder("dask") })
  }
]
