/**
 * A list of tiles of which only those in sight exist: however long the list is, the page holds a few rows of it and empty room for the rest.
 * All tiles are of one size, so what is in sight follows from where the page is scrolled to.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"

const GAP = 16
const NARROWEST = 168
/** Two lines of a name and one below it. */
const TEXT = 72
/** Rows above and below that are there before they are seen. */
const AROUND = 3

interface Shape {
  readonly columns: number
  readonly rowHeight: number
  readonly first: number
  readonly last: number
}

interface Props<A extends object> {
  readonly items: ReadonlyArray<A>
  readonly keyOf: (item: A) => string
  /** Follows from the item alone. */
  readonly tile: (item: A) => ComponentChildren
  /** Called when the end is near. */
  readonly more: () => void
}

export function Grid<A extends object>({ items, keyOf, more, tile }: Props<A>) {
  const place = useRef<HTMLUListElement>(null)
  // The same element again is passed over when the list is drawn anew, which is at each row that is scrolled by.
  const tiles = useMemo(() => new WeakMap<A, ComponentChildren>(), [])
  const tileOf = (item: A): ComponentChildren => {
    const made = tiles.get(item) ?? tile(item)
    tiles.set(item, made)
    return made
  }
  const [shape, setShape] = useState<Shape>({ columns: 2, rowHeight: 300, first: 0, last: 4 })
  useEffect(() => {
    const list = place.current
    if (list === null) return
    const look = () => {
      const { top, width } = list.getBoundingClientRect()
      const columns = Math.max(2, Math.floor((width + GAP) / (NARROWEST + GAP)))
      const rowHeight = (width - GAP * (columns - 1)) / columns + TEXT + GAP
      const first = Math.max(0, Math.floor(-top / rowHeight) - AROUND)
      const last = Math.ceil((innerHeight - top) / rowHeight) + AROUND
      setShape((before) =>
        before.columns === columns && before.rowHeight === rowHeight && before.first === first && before.last === last
          ? before
          : { columns, rowHeight, first, last }
      )
    }
    const watcher = new ResizeObserver(look)
    watcher.observe(list)
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look)
    return () => {
      watcher.disconnect()
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [])
  const { columns, first, last, rowHeight } = shape
  const rows = Math.ceil(items.length / columns)
  const from = Math.min(first, Math.max(0, rows - 1)) * columns
  const to = Math.min(items.length, last * columns)
  useEffect(() => {
    if (last + 2 * AROUND >= rows) more()
  }, [last, rows, items])
  return (
    <ul
      ref={place}
      class="tiles"
      style={{
        height: `${rows * rowHeight}px`,
        paddingTop: `${(from / columns) * rowHeight}px`,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        gridAutoRows: `${rowHeight - GAP}px`
      }}
    >
      {items.slice(from, to).map((item, at) => (
        <li key={keyOf(item)} aria-posinset={from + at + 1} aria-setsize={-1}>
          {tileOf(item)}
        </li>
      ))}
    </ul>
  )
}
