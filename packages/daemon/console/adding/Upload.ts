/** Registers a file: its bytes go to the daemon as they are, with the name that it has here (RFC 6266). */
import { ask } from "../Api.ts"
import type { Registered } from "../Types.ts"

export const upload = (file: File): Promise<Registered> =>
  ask<Registered>("/assets", {
    method: "POST",
    body: file,
    headers: {
      "content-type": file.type === "" ? "application/octet-stream" : file.type,
      "content-disposition": `attachment; filename*=UTF-8''${encoded(file.name)}`
    }
  })

const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
