/**
 * Debian's Chromium for a test, without a network, and pages that note every request, error and refusal. Where it is not installed, tests that
 * need it are skipped, but never where CI is set (layers/Parts.ts).
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import puppeteer, { type Browser, type BrowserContext, type Page } from "puppeteer-core"
import { CHROMIUM, isMissing } from "../layers/Parts.ts"
import { atEndOfWorker } from "../layers/Worker.ts"

/** True when tests in a browser have to be skipped here. In CI it is always false. */
export const isBrowserMissing = isMissing("chromium")

export interface Chromium {
  readonly browser: Browser | BrowserContext
  /** A folder for the files of the test; removed with the browser. */
  readonly folder: string
  readonly close: () => Promise<void>
}

/** As long as a test may take, whatever is waited for. */
const PATIENCE = 600_000

const newFolder = (): string => mkdtempSync(join(tmpdir(), "treemark-web-"))

const launch = (profile: string): Promise<Browser> =>
  puppeteer.launch({
    executablePath: CHROMIUM,
    userDataDir: profile,
    handleSIGTERM: false,
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu", "--disable-dev-shm-usage"]
  })

/** A browser of the caller's own, for a test that looks at its process. */
export const startOwnBrowser = async (): Promise<Chromium & { readonly browser: Browser }> => {
  const folder = newFolder()
  const browser = await launch(join(folder, "profile"))
  const close = async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { browser, folder, close }
}

let shared: Promise<Browser> | undefined

/** One Chromium for all files of a worker; it is killed with that. */
const startShared = async (): Promise<Browser> => {
  const profile = newFolder()
  const browser = await launch(profile)
  atEndOfWorker(() => {
    browser.process()?.kill("SIGKILL")
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return browser
}

/** Tabs of their own, which share neither cookies nor storage with others, in the browser of this worker. */
export const startBrowser = async (): Promise<Chromium> => {
  const starting = shared ?? startShared()
  shared = starting
  const browser = await (await starting).createBrowserContext()
  const folder = newFolder()
  const close = async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { browser, folder, close }
}

export interface Watched {
  readonly page: Page
  /** Addresses asked for, those of the page itself and its own blob: and data: excepted. */
  readonly requests: ReadonlyArray<string>
  /** Errors of scripts and of the console; a refusal of the page's policy is one. */
  readonly errors: ReadonlyArray<string>
}

/** Opens `url` in a new tab. */
export const open = async (
  { browser }: Chromium,
  url: string,
  view: { readonly dark?: boolean; readonly width?: number; readonly languages?: ReadonlyArray<string> } = {}
): Promise<Watched> => {
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE)
  if (view.languages !== undefined) {
    await page.evaluateOnNewDocument((languages) => {
      Object.defineProperty(navigator, "languages", { get: () => languages })
    }, view.languages)
  }
  const requests: Array<string> = []
  const errors: Array<string> = []
  page.on("request", (request) => {
    if (request.url() !== url && !/^(blob|data):/.test(request.url())) requests.push(request.url())
  })
  page.on("pageerror", (error) => errors.push(String(error)))
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text())
  })
  await page.setViewport({ width: view.width ?? 1100, height: 900 })
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: view.dark ? "dark" : "light" }])
  await page.goto(url)
  // The page's program starts a moment after the page is there; the explorer's pages have none.
  await page.waitForFunction(`document.querySelector("#not-started")?.hidden !== false`)
  return { page, requests, errors }
}

/** Gives the picker with this id a file, as choosing it would. */
export const give = async (page: Page, id: string, file: string): Promise<void> => {
  const input = await page.$(`input#${id}[type=file]`)
  if (input === null) throw new Error(`The page has no file picker ${id}.`)
  await input.uploadFile(file as never)
}

/** The text of the first element for this selector, as a person sees it. */
export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (found) => (found as unknown as { readonly innerText: string }).innerText)

/** Waits until the verdict is this one. */
export const untilVerdict = async (page: Page, verdict: string): Promise<void> => {
  await page.waitForSelector(`#verdict.${verdict}:not([hidden])`, { timeout: PATIENCE })
}

/** Waits until the file that was given has been measured and compared. */
export const untilCompared = async (page: Page): Promise<void> => {
  await page.waitForFunction(
    `document.querySelector("#checks").textContent.includes("asset-sha256") &&
     !document.querySelector("#checks").textContent.includes("asset_not_given")`
  )
}

/** Drops files of these names and contents on the page, all at once. */
export const drop = (page: Page, files: ReadonlyArray<readonly [name: string, content: string | Uint8Array]>) =>
  page.evaluate(
    (all) => {
      const data = new DataTransfer()
      for (const [name, bytes] of all) data.items.add(new File([Uint8Array.from(bytes)], name))
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data }))
    },
    files.map(([name, content]): [string, Array<number>] => [name, [...Buffer.from(content)]])
  )

/** What the first card says first; undefined while there is none. */
export const headline = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () => document.querySelector<HTMLElement>("#verdict:not([hidden]) #verdict-title")?.innerText ?? undefined
  )

/** Waits until the first card says this first. */
export const untilHeadline = async (page: Page, text: string): Promise<void> => {
  await page.waitForFunction(
    (wanted) => {
      const title = document.querySelector<HTMLElement>("#verdict:not([hidden]) #verdict-title")
      return title?.innerText.includes(wanted) === true
    },
    {},
    text
  )
}

/** Whether anything that can be seen has the colour of full success. */
export const isGreen = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const probe = document.createElement("i")
    probe.setAttribute("class", "tone-full verdict")
    document.body.append(probe)
    const { backgroundColor, borderTopColor } = getComputedStyle(probe)
    probe.remove()
    const greens = [backgroundColor, borderTopColor]
    return [...document.querySelectorAll("body *")].some((shown) => {
      if (!shown.checkVisibility()) return false
      const style = getComputedStyle(shown)
      return [style.color, style.backgroundColor, style.borderLeftColor].some((colour) => greens.includes(colour))
    })
  })
