import { LIST_KINDS, type ListKind } from '../mcp/call.ts'
import type { ToClient } from '../mcp/params.ts'

/** A client that is there to hear of changes. */
export interface Watcher {
  wants(kind: ListKind): boolean
  isSubscribed(uri: string): boolean
  /** All that it has subscribed to; some of that is worth a look when nobody tells of it. */
  addresses?(): Iterable<string>
  /** Does anybody read what it is told? While nobody does, it is told what comes by itself, and nothing is looked at for it. @default true */
  isThere?(): boolean
  /** Must not wait: whoever is slow keeps what it was told. */
  tell(...told: ToClient): void
}

/** Everybody who watches. A subject is a kind of list, or the address of a resource. */
export interface Watchers {
  /** @returns how to leave */
  add(watcher: Watcher): () => void
  has(watcher: Watcher): boolean
  isWatched(subject: string): boolean
  /** Does anybody read at the moment what is told of it? */
  isRead(subject: string): boolean
  isAnybodyThere(): boolean
  /** What anybody has subscribed to. */
  addresses(): Iterable<string>
  tell(subject: string): void
}

export function createWatchers(): Watchers {
  const all = new Set<Watcher>()
  const watches = (watcher: Watcher, subject: string): boolean =>
    isListKind(subject) ? watcher.wants(subject) : watcher.isSubscribed(subject)
  const isThere = (watcher: Watcher): boolean => watcher.isThere?.() ?? true

  function some(test: (watcher: Watcher) => boolean): boolean {
    for (const watcher of all) if (test(watcher)) return true
    return false
  }

  return {
    add(watcher) {
      all.add(watcher)
      return () => all.delete(watcher)
    },
    has: (watcher) => all.has(watcher),
    isWatched: (subject) => some((watcher) => watches(watcher, subject)),
    isRead: (subject) => some((watcher) => isThere(watcher) && watches(watcher, subject)),
    isAnybodyThere: () => some(isThere),
    *addresses() {
      for (const watcher of all) yield* watcher.addresses?.() ?? []
    },
    tell(subject) {
      const told: ToClient = isListKind(subject)
        ? [`notifications/${subject}/list_changed`, {}]
        : ['notifications/resources/updated', { uri: subject }]
      for (const watcher of all) if (watches(watcher, subject)) attempt(() => watcher.tell(...told))
    },
  }
}

/** One that cannot be told must not keep the others from it. */
function attempt(tell: () => void): void {
  try {
    tell()
  } catch {
    // It has left.
  }
}

export function isListKind(subject: string): subject is ListKind {
  return LIST_KINDS.includes(subject as ListKind)
}
