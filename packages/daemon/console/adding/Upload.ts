/** Registers a file: its bytes go to the daemon as they are. */
import { ask } from "../Api.ts"
import type { Registered } from "../Types.ts"

export const upload = (file: File): Promise<Registered> =>
  ask<Registered>("/assets", {
    method: "POST",
    body: file,
    headers: { "content-type": file.type === "" ? "application/octet-stream" : file.type }
  })
