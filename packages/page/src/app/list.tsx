import { useState } from 'preact/hooks'
import { toHash, type View } from './places.ts'

export interface Row {
  /** What stands in the address of the page. */
  readonly key: string
  readonly title: string
  readonly about?: string | undefined
  /** How deep in a tree. @default 0 */
  readonly depth?: number
}

interface ListProps {
  readonly view: View
  readonly rows: readonly Row[]
  readonly chosen: string
  /** What the rows are, in the plural: `tools`. */
  readonly noun: string
}

/** A list to search in; one row is shown beside it. Rows out of sight cost a browser nothing (`content-visibility`). */
export function List({ view, rows, chosen, noun }: ListProps) {
  const [words, setWords] = useState('')
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = rows.filter((row) => {
    const text = `${row.title} ${row.key} ${row.about ?? ''}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  return (
    <nav class="list" aria-label={noun}>
      <input
        type="search"
        placeholder={`Search ${rows.length} ${noun}`}
        aria-label={`Search ${noun}`}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {shown.length === 0 && <p class="quiet">{rows.length === 0 ? `There are no ${noun}.` : `No ${noun} match.`}</p>}
      <ul>
        {shown.map((row) => (
          <li key={row.key} style={{ '--depth': row.depth ?? 0 }}>
            <a href={toHash(view, row.key)} aria-current={row.key === chosen ? 'page' : undefined}>
              <bdi class="name">{row.title}</bdi>
              {row.about && <bdi class="about">{row.about.slice(0, 300)}</bdi>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
