/** PgBouncer in transaction mode between two daemons and their PostgreSQL: every commit once, while the one that signs is killed and restarted. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  assertConsistent,
  commitUntilDone,
  type Done,
  type Met,
  makeCallers,
  makeRigThrough
} from "../daemon/commits/ReplicaRig.ts"
import { treemarkd } from "../end-to-end/Treemarkd.ts"
import { patience } from "../layers/Long.ts"
import { freePort, startProgram } from "./Programs.ts"

const COMMITS = 200
const CALLERS = 16
const ROOT = process.getuid?.() === 0

/** It refuses to run as root. */
const asOwner =
  ROOT && existsSync("/usr/bin/setpriv")
    ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig", "KILL"]
    : []

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    }).once("error", () => resolve(false))
  })

const startPgBouncer = Effect.fnUntraced(function* (_: string, postgres: number) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-pgbouncer-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const ini = join(folder, "pgbouncer.ini")
  writeFileSync(
    ini,
    `[databases]
treemark = host=127.0.0.1 port=${postgres} dbname=treemark user=treemark
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`
  )
  chmodSync(folder, 0o755)
  yield* startProgram([...asOwner, "/usr/sbin/pgbouncer", ini], () => isOpen(port))
  return `postgres://treemark@127.0.0.1:${port}/treemark?pgbouncer=true`
})

describe("PgBouncer in transaction mode", () => {
  it.live(
    `lets two daemons make ${COMMITS} commits once each, over a kill and a restart`,
    () =>
      Effect.gen(function* () {
        const rig = yield* makeRigThrough(startPgBouncer)
        const first = yield* rig.replica
        const second = yield* rig.replica
        const { asset, callers } = yield* makeCallers(first, CALLERS)
        const done: Array<Done> = []
        const met: Met = new Map()
        const working = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: COMMITS }, (_, n) => n),
            (n) =>
              Effect.map(
                commitUntilDone([first, second], callers[n % CALLERS] ?? "", asset, `commit ${n}`, met),
                (one) => void done.push(one)
              ),
            { concurrency: CALLERS, discard: true }
          )
        )
        yield* Effect.sync(() => done.length).pipe(
          Effect.delay("20 millis"),
          Effect.repeat({ until: (count) => count >= COMMITS / 4 })
        )
        yield* first.process.signal("SIGKILL")
        yield* first.process.ended
        yield* rig.restart(first)
        yield* Fiber.join(working)
        yield* assertConsistent(rig, done)

        const plain = rig.databaseUrl.replace("?pgbouncer=true", "")
        const refused = yield* treemarkd(["start", "--port", "0"], {
          home: second.home.concat("-plain"),
          env: { TREEMARK_DATABASE_URL: plain }
        })
        assert.notStrictEqual(refused.code, 0)
        assert.include(refused.stderr, "?pgbouncer=true")
      }).pipe(Effect.scoped),
    patience(3)
  )
})
