/**
 * `<home>/daemon.json`: where a running daemon can be reached. It is trusted only when its socket answers, so a file left by a
 * killed daemon does no harm. The socket lives in the data folder unless that path is too long for a unix socket (107 bytes).
 */
import { createHash } from "node:crypto"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, FileSystem, Option, Schema } from "effect"

export const DaemonFile = Schema.fromJsonString(
  Schema.Struct({
    pid: Schema.Int,
    socket: Schema.String,
    addresses: Schema.Record(Schema.String, Schema.String),
    startedAt: Schema.String
  })
)
export type DaemonFile = typeof DaemonFile.Type

const LONGEST_SOCKET_PATH = 107

/** Path of the administration socket of the daemon that owns `home`. */
export const socketPath = (home: string): string => {
  const inside = join(home, "treemarkd.sock")
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside
  return join(tmpdir(), `treemarkd-${createHash("sha256").update(home).digest("hex").slice(0, 16)}.sock`)
}

const filePath = (home: string): string => join(home, "daemon.json")

/** What a running daemon has put where others look for it. */
export const daemonFiles = (home: string): ReadonlyArray<string> => [filePath(home), socketPath(home)]

/** Writes the file for as long as the scope is open. */
export const announce = Effect.fn("DaemonFile.announce")(function* (home: string, facts: DaemonFile) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Schema.encodeEffect(DaemonFile)(facts)
  yield* Effect.acquireRelease(files.writeFileString(filePath(home), `${text}\n`, { mode: 0o600 }), () =>
    Effect.ignore(files.remove(filePath(home)))
  )
})

/** The running daemon of `home`: none when there is no file, or nothing listens on the socket it names. */
export const readDaemonFile = Effect.fn("DaemonFile.read")(function* (home: string) {
  const files = yield* FileSystem.FileSystem
  const facts = yield* files
    .readFileString(filePath(home))
    .pipe(Effect.flatMap(Schema.decodeUnknownEffect(DaemonFile)), Effect.option)
  if (Option.isNone(facts)) return Option.none<DaemonFile>()
  return (yield* answers(facts.value.socket)) ? facts : Option.none<DaemonFile>()
})

const answers = (path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    const end = (listening: boolean) => {
      socket.destroy()
      resume(Effect.succeed(listening))
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })
