/** How results are laid out for people. No library is loaded for it, so that the quick commands (quick/) use it too. */

/** Two columns, the left one padded: labels and values of one thing. */
export const facts = (rows: ReadonlyArray<readonly [label: string, value: string]>): string => {
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join("\n")
}

/** A table with a heading line; `empty` is printed instead when there are no rows. */
export const table = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  empty: string
): string => {
  if (rows.length === 0) return empty
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
