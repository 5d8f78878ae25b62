/** The names of the backends for recovery; loading them is Backend.ts. */
import type { UnusableInput } from "../UnusableInput.ts"

export const BACKENDS = ["noble", "wasm", "native"] as const
export type BackendName = (typeof BACKENDS)[number]
export type BackendChoice = BackendName | "auto"

/** The value of `--backend`; `usage` makes the error for any other text. */
export const backendNamed = (text: string, usage: (message: string) => UnusableInput): BackendChoice => {
  const choice = text === "auto" ? text : BACKENDS.find((name) => name === text)
  if (choice === undefined) throw usage(`--backend is auto, noble, wasm or native; not "${text}".`)
  return choice
}
