/**
 * Text of strangers on its way into a report or a message: whole when it is of an ordinary length, else its beginning and how long it
 * is. What is compared and hashed is always the whole; only what is shown is cut, so no file makes an answer larger than it should be.
 */

/** Longer than every value of a real proof but its tree and its commit data. */
export const SHOWN_LENGTH = 1024

/** `text`, or the first {@link SHOWN_LENGTH} characters of it and its length. */
export const shown = (text: string): string =>
  text.length <= SHOWN_LENGTH ? text : `${whole(text)}… (${text.length} characters)`

/** As {@link shown}; null for nothing. */
export const shownOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null ? null : shown(text)

/** Not cut between the halves of a surrogate pair. */
const whole = (text: string): string => {
  const cut = text.slice(0, SHOWN_LENGTH)
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1)
}
