/**
 * The last line of defence of every door: what nobody foresaw becomes a refusal, never a stack trace and never a verdict. Nothing may rely on it; a
 * case that is known to end here is a fault to be mended where it begins.
 */
import { UnusableInput } from "./UnusableInput.ts"

/** `error` itself when it says why an input cannot be used, else the refusal that stands for it. */
export const foreseen = (error: unknown): UnusableInput => {
  if (error instanceof UnusableInput) return error
  const refusal = new UnusableInput(
    "internal",
    `Nothing was decided, because treemark-verify met what it was not made for (${wordsOf(error)}). Do not rely on this input. It is a fault of treemark-verify: please report it with the file that shows it.`
  )
  refusal.cause = error
  return refusal
}

/** What `act` gives; whatever it throws is an {@link UnusableInput}. */
export const guarded = <A>(act: () => A): A => {
  try {
    return act()
  } catch (error) {
    throw foreseen(error)
  }
}

const wordsOf = (error: unknown): string => {
  try {
    return String(error).slice(0, 200)
  } catch {
    return "an error without words"
  }
}
