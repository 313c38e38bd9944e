import { signal } from '@preact/signals'

/** The views of this page; what is shown stands in the fragment of its address, so that "back" works. */
export const VIEWS = ['connect', 'tools', 'skills', 'prompts', 'runs', 'why-not', 'exchanges'] as const
export type ViewName = (typeof VIEWS)[number]

export interface PagePlace {
  readonly view: ViewName
  /** What of it: the name of a tool, the address of a skill. Empty for the whole list. */
  readonly what: string
}

export function parseHash(hash: string): PagePlace {
  const [, name = '', rest = ''] = /^#\/([^/]*)\/?(.*)$/s.exec(hash) ?? []
  const view = VIEWS.find((each) => each === name)
  if (view === undefined) return { view: 'tools', what: '' }
  try {
    return { view, what: decodeURIComponent(rest) }
  } catch {
    return { view, what: '' }
  }
}

export function toHash(view: ViewName, what = ''): string {
  return what === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(what)}`
}

export const shownPlace = signal<PagePlace>(parseHash(globalThis.location?.hash ?? ''))
globalThis.addEventListener?.('hashchange', () => {
  shownPlace.value = parseHash(location.hash)
})
