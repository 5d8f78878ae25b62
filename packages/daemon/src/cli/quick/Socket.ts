/** One question to a running daemon over its administration socket, in a few lines of node:http. */
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { homeFolder } from "../../HomeFolder.ts"

/** The socket that `daemon.json` names; undefined when no daemon said that it runs. */
export const socketOf = (home: string | undefined): string | undefined => {
  try {
    const { socket } = JSON.parse(readFileSync(join(homeFolder(home), "daemon.json"), "utf8")) as { socket?: unknown }
    return typeof socket === "string" ? socket : undefined
  } catch {
    return undefined
  }
}

/** The answer of status 200 to a GET; undefined for any other, or for none. */
export const ask = (socketPath: string, path: string): Promise<unknown> =>
  new Promise((resolve) => {
    const nothing = () => resolve(undefined)
    const asked = request({ socketPath, path, headers: { connection: "close" } }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => {
        text += part
      })
      response.once("error", nothing)
      response.once("end", () => {
        try {
          resolve(response.statusCode === 200 ? JSON.parse(text) : undefined)
        } catch {
          nothing()
        }
      })
    })
    asked.once("error", nothing)
    asked.end()
  })
