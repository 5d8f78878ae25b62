/** Registers a file: its bytes go to the daemon as a form, with the name that it has here. */
import { ask } from "../Api.ts"
import type { Registered } from "../Types.ts"

export const upload = (file: File): Promise<Registered> => {
  const form = new FormData()
  form.append("file", file, file.name)
  return ask<Registered>("/assets", { method: "POST", body: form })
}
