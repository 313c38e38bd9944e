import { createView, type Draw, type WatchedView } from './view.ts'
import { toViewerKey, type Viewer } from './viewer.ts'

/** Everything that is looked at for those who watch, as each of them sees it: digests, and undefined for what cannot be seen. */
export interface Views {
  subjects(): Iterable<string>
  has(subject: string): boolean
  /** How it looked last. @param key of those who see the same */
  seen(subject: string, key: string): string | undefined
  /** Looks, unless it is known. Never rejects. */
  learn(subject: string, viewer: Viewer): Promise<string | undefined>
  /** Looks again. Never rejects. */
  look(subject: string, viewer: Viewer): Promise<string | undefined>
  /** Looks also at these addresses from now on, as far as they are looked at. */
  follow(uris: Iterable<string>): void
  /** Nobody else watches it any more. */
  keep(subject: string, keys: ReadonlySet<string>): void
  /** Nobody watches it any more. */
  forget(subject: string): void
}

interface Subject {
  readonly draw: Draw
  /** By the keys of those who see the same. */
  readonly views: Map<string, WatchedView>
}

/**
 * @param render what there always is
 * @param renderOf what there is as long as somebody watches it
 */
export function createViews(render: ReadonlyMap<string, Draw>, renderOf?: (uri: string) => Draw | undefined): Views {
  const toSubject = (draw: Draw): Subject => ({ draw, views: new Map() })
  const subjects = new Map([...render].map(([subject, draw]) => [subject, toSubject(draw)]))

  function find(subject: string, viewer: Viewer): WatchedView | undefined {
    const { draw, views } = subjects.get(subject) ?? {}
    if (draw === undefined || views === undefined) return undefined
    const key = toViewerKey(viewer)
    const view = views.get(key) ?? createView(draw)
    views.set(key, view)
    return view
  }

  return {
    subjects: () => subjects.keys(),
    has: (subject) => subjects.has(subject),
    seen: (subject, key) => subjects.get(subject)?.views.get(key)?.seen,
    learn: async (subject, viewer) => find(subject, viewer)?.learn(viewer),
    look: async (subject, viewer) => find(subject, viewer)?.look(viewer),
    follow(uris) {
      for (const uri of uris) {
        const draw = subjects.has(uri) ? undefined : renderOf?.(uri)
        if (draw !== undefined) subjects.set(uri, toSubject(draw))
      }
    },
    keep(subject, keys) {
      const views = subjects.get(subject)?.views
      for (const key of views?.keys() ?? []) if (!keys.has(key)) views?.delete(key)
    },
    forget(subject) {
      subjects.get(subject)?.views.clear()
      if (!render.has(subject)) subjects.delete(subject)
    },
  }
}
