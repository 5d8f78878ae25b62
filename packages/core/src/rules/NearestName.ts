/**
 * Which known name somebody meant: the one that needs the fewest letters added, removed or replaced (Levenshtein distance).
 * A part of a name is near to it too: `message` is meant for `commitMessage`.
 */

/** Longer names are cut: no field is near to them anyhow, and the work stays bounded. */
const LONGEST = 40

/** The name among `known` nearest to `given`, letter case and `_`/`-` aside; the first of them when several are as near. */
export const nearestName = (given: string, known: ReadonlyArray<string>): string | undefined => {
  const wanted = plain(given)
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const distance = distanceTo(plain(name), wanted)
    if (distance < least) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

const plain = (name: string): string => name.slice(0, LONGEST).toLowerCase().replace(/[_-]/g, "")

/** Shorter parts are in too many names to mean one. */
const SHORTEST_PART = 4

const distanceTo = (name: string, wanted: string): number =>
  wanted.length >= SHORTEST_PART && name.includes(wanted) ? 1 : editDistance(wanted, name)

const editDistance = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a.charAt(row - 1) === b.charAt(column - 1) ? 0 : 1)
      line.push(Math.min(replaced, above[column]! + 1, line[column - 1]! + 1))
    }
    above = line
  }
  return above[b.length]!
}
