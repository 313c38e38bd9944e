import type { JsonObject } from '../rpc.ts'

const LIST_KINDS = ['tools', 'prompts', 'resources'] as const
/** What a list can be of. */
export type ListKind = (typeof LIST_KINDS)[number]

/** A client that is there to hear of changes. */
export interface Watcher {
  wants(kind: ListKind): boolean
  isSubscribed(uri: string): boolean
  /** All that it has subscribed to; some of that is worth a look when nobody tells of it. */
  addresses?(): Iterable<string>
  /** Must not wait: whoever is slow keeps what it was told. */
  tell(method: string, params: JsonObject): void
}

/** Everybody who watches. A subject is a kind of list, or the address of a resource. */
export interface Watchers {
  /** @returns how to leave */
  add(watcher: Watcher): () => void
  isWatched(subject: string): boolean
  isAnybodyThere(): boolean
  /** What anybody has subscribed to. */
  addresses(): Iterable<string>
  tell(subject: string): void
}

export function createWatchers(): Watchers {
  const all = new Set<Watcher>()
  const watches = (watcher: Watcher, subject: string): boolean =>
    isListKind(subject) ? watcher.wants(subject) : watcher.isSubscribed(subject)
  return {
    add(watcher) {
      all.add(watcher)
      return () => all.delete(watcher)
    },
    isWatched(subject) {
      for (const watcher of all) if (watches(watcher, subject)) return true
      return false
    },
    isAnybodyThere: () => all.size > 0,
    *addresses() {
      for (const watcher of all) yield* watcher.addresses?.() ?? []
    },
    tell(subject) {
      const isList = isListKind(subject)
      const method = isList ? `notifications/${subject}/list_changed` : 'notifications/resources/updated'
      for (const watcher of all)
        if (watches(watcher, subject)) attempt(() => watcher.tell(method, isList ? {} : { uri: subject }))
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
