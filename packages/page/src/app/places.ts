import { signal } from '@preact/signals'

/** The views of this page; what is shown stands in the fragment of its address, so that "back" works. */
export const VIEWS = ['connect', 'tools', 'skills', 'prompts', 'runs', 'why-not', 'exchanges'] as const
export type View = (typeof VIEWS)[number]

export interface Place {
  readonly view: View
  /** What of it: the name of a tool, the address of a skill. Empty for the whole list. */
  readonly what: string
}

export function parseHash(hash: string): Place {
  const [, name = '', rest = ''] = /^#\/([^/]*)\/?(.*)$/s.exec(hash) ?? []
  const view = VIEWS.find((each) => each === name)
  if (view === undefined) return { view: 'tools', what: '' }
  try {
    return { view, what: decodeURIComponent(rest) }
  } catch {
    return { view, what: '' }
  }
}

export function toHash(view: View, what = ''): string {
  return what === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(what)}`
}

export const place = signal<Place>(parseHash(globalThis.location?.hash ?? ''))
globalThis.addEventListener?.('hashchange', () => {
  place.value = parseHash(location.hash)
})
