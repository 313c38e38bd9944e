import { useEffect, useRef, useState } from 'preact/hooks'
import { type PagePlace, shownPlace, toHash, type ViewName } from './places.ts'

export interface Row {
  /** What stands in the address of the page. */
  readonly key: string
  readonly title: string
  readonly about?: string | undefined
  /** How deep in a tree. @default 0 */
  readonly depth?: number
  /** A function writes it when it is read. @default false */
  readonly isLive?: boolean
}

interface ListProps {
  readonly view: ViewName
  readonly rows: readonly Row[]
  readonly chosen: string
  /** What the rows are, in the plural: `tools`. */
  readonly noun: string
  /** Why the list could not be had, as the server says it. */
  readonly failure?: string | undefined
}

/** So much of a text is shown in a row. */
const SHOWN = 300

/**
 * A list to search in; one row is shown beside it. Rows out of sight cost a browser nothing (`content-visibility`). The keys up and down go
 * from row to row; Tab leads out of the list, as one row at a time can be reached by it.
 */
export function List({ view, rows, chosen, noun, failure }: ListProps) {
  const [words, setWords] = useState('')
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = rows.filter((row) => {
    const text = `${row.title} ${row.key} ${row.about ?? ''}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  const stop = shown.some(({ key }) => key === chosen) ? chosen : shown[0]?.key
  return (
    <nav class="list" aria-label={noun} onKeyDown={moveFocus}>
      <input
        type="search"
        placeholder={`Search ${rows.length} ${noun}`}
        aria-label={`Search ${noun}`}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {failure !== undefined && <p class="failed">{failure}</p>}
      {shown.length === 0 && failure === undefined && (
        <p class="quiet">{rows.length === 0 ? `There are no ${noun}.` : `No ${noun} match.`}</p>
      )}
      <ul>
        {shown.map((row) => (
          <li key={row.key} style={{ '--depth': row.depth ?? 0 }}>
            <a
              href={toHash(view, row.key)}
              tabIndex={row.key === stop ? 0 : -1}
              aria-current={row.key === chosen ? 'page' : undefined}
            >
              <bdi class={row.isLive ? 'name live' : 'name'}>{row.title.slice(0, SHOWN)}</bdi>
              {row.about && <bdi class="about">{row.about.slice(0, SHOWN)}</bdi>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, last) => last,
}

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = STEPS[event.key]
  const isTyping = event.target instanceof HTMLInputElement
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || (isTyping && event.key !== 'ArrowDown'))
    return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('li a')]
  event.preventDefault()
  links[step(links.indexOf(document.activeElement as HTMLElement), links.length - 1)]?.focus()
}

/** A list, and beside it what was chosen, which gets the focus then: whoever has no mouse goes on there. */
export function Split({ children, ...list }: ListProps & { children: preact.ComponentChildren }) {
  const detail = useRef<HTMLElement>(null)
  const shown = useRef<PagePlace>(shownPlace.value)
  useEffect(() => {
    if (shown.current === shownPlace.value) return
    shown.current = shownPlace.value
    if (list.chosen !== '') detail.current?.focus()
  }, [shownPlace.value])
  return (
    <div class={list.chosen === '' ? 'split' : 'split chosen'}>
      <List {...list} />
      <section class="detail" ref={detail} tabIndex={-1} aria-label="what was chosen">
        {children}
      </section>
    </div>
  )
}
