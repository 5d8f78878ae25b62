/**
 * The page that verifies proofs, as one HTML file (packages/verify/web). A release has it beside the bundle, built; a checkout builds it from
 * its sources when somebody first asks, with the development dependency that builds the release.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { Effect } from "effect"

const BUILT = new URL("./verify.html", import.meta.url)
const SOURCE = new URL("../../../../verify/build-web.ts", import.meta.url)

const load = async (): Promise<string> => {
  if (existsSync(BUILT)) return readFile(BUILT, "utf8")
  // By a URL that is computed, so that the bundle of a release does not take the builder in.
  const { buildPage }: typeof import("../../../../verify/build-web.ts") = await import(SOURCE.href)
  return buildPage()
}

let loaded: Promise<string> | undefined

/** The page's HTML, without a proof in it, as a file that people keep. Dies when the installation lacks it, which is a fault of the release. */
export const verifyPage: Effect.Effect<string> = Effect.promise(() => {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
})

/** The page as this daemon serves it: it may reach its own origin, for a proof that a link to it names (`/verify?proof=ADDRESS`), and nothing else. */
export const servedPage: Effect.Effect<string> = Effect.map(verifyPage, (page) =>
  page.replace("connect-src 'none'", "connect-src 'self'")
)

/** The policy that the page carries; nobody may put the page into a frame, which only a header can say. */
export const policyOf = (page: string): string =>
  `${/http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "default-src 'none'"}; frame-ancestors 'none'`
