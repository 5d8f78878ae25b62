/** Whether the disks that commits are written to have room left: a store that meets a full disk refuses everything that is paid. */
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { Settings } from "./Settings.ts"

/** Less than this is nearly full: some minutes of commits, or one upload. */
const LEAST_BYTES = 64 * 1024 * 1024

/** Of a small disk so much is left free. */
const LEAST_SHARE = 0.05

const MIB = 1024 * 1024

/** Fails with the reason when the disk of `folder` is nearly full; a folder that cannot be asked is others' matter. */
const roomIn = (folder: string): Effect.Effect<string, { readonly message: string }> =>
  Effect.tryPromise(() => statfs(folder)).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((found) => {
      if (found === undefined) return Effect.succeed(`${folder} does not say how much room it has`)
      const [free, size] = [found.bavail * found.bsize, found.blocks * found.bsize]
      const text = `${Math.floor(free / MIB)} MiB are free where ${folder} is`
      return free >= Math.min(LEAST_BYTES, size * LEAST_SHARE)
        ? Effect.succeed(text)
        : Effect.fail({ message: `the disk is nearly full: ${text}. Free some space, lest commits be refused.` })
    })
  )

/** Data folder and content folder; one of them where the other lies in it. */
const foldersOf = ({ contentFolder, contentUrl, home }: Settings["Service"]): ReadonlyArray<string> => {
  const content = Option.isSome(contentUrl) ? [] : [Option.getOrElse(contentFolder, () => join(home, "blocks"))]
  return [home, ...content.filter((folder) => !folder.startsWith(`${home}/`))]
}

/** What is free on the disks of data folder and content folder. */
export const diskSpace = Effect.map(Settings, (settings) =>
  Effect.map(Effect.forEach(foldersOf(settings), roomIn), (texts) => `${texts.join("; ")}.`)
)

/** The same in bytes, for whoever shows it; null where a folder cannot be asked. */
export const diskFigures = Effect.map(Settings, (settings) =>
  Effect.forEach(foldersOf(settings), (folder) =>
    Effect.tryPromise(() => statfs(folder)).pipe(
      Effect.map(({ bavail, blocks, bsize }) => ({ folder, free: bavail * bsize, size: blocks * bsize })),
      Effect.orElseSucceed(() => ({ folder, free: null, size: null }))
    )
  )
)
