/** Whether two byte strings are the same. Not for secrets: it stops at the first difference. */
export const isSameBytes = (left: Uint8Array, right: Uint8Array): boolean => {
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return left.length === right.length
}
