import { toStanding } from '../auth/decision.ts'
import { LIST_KINDS, type ListKind } from '../mcp/call.ts'
import type { ToClient } from '../mcp/params.ts'
import { toViewerKey, type Viewer } from './viewer.ts'

/** A client that is there to hear of changes. */
export interface Watcher {
  /** Who hears what it is told; undefined where nobody does. */
  who(): Viewer | undefined
  wants(kind: ListKind): boolean
  isSubscribed(uri: string): boolean
  /** All that it has subscribed to; some of that is worth a look when nobody tells of it. */
  addresses(): Iterable<string>
  /** Does anybody read what it is told? While nobody does, it is told what comes by itself, and nothing is looked at for it. @default true */
  isThere?(): boolean
  /** Must not wait: whoever is slow keeps what it was told. */
  tell(...told: ToClient): void
}

/** Those who see the same, whoever they are. */
export interface Group {
  readonly key: string
  /** As the settings have it at this moment. */
  readonly viewer: Viewer
  readonly members: readonly Watcher[]
  /** Does any of them read at the moment what it is told? */
  readonly isRead: boolean
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
  /** Those who watch it, without those whose right to it has ended. */
  groups(subject: string): readonly Group[]
  /** The same of each of many, in one go over everybody and what they watch. */
  groupsOf(isOne: (subject: string) => boolean): ReadonlyMap<string, readonly Group[]>
}

export function createWatchers(): Watchers {
  const all = new Set<Watcher>()
  const watches = (watcher: Watcher, subject: string): boolean =>
    isListKind(subject) ? watcher.wants(subject) : watcher.isSubscribed(subject)

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
      for (const watcher of all) yield* watcher.addresses()
    },
    groups(subject) {
      const groups: Groups = new Map()
      const now = Date.now()
      for (const watcher of all) {
        const viewer = watches(watcher, subject) ? toViewer(watcher, now) : undefined
        if (viewer !== undefined) gather(groups, watcher, viewer)
      }
      return [...groups.values()]
    },
    groupsOf(isOne) {
      const found = new Map<string, Groups>()
      const now = Date.now()
      for (const watcher of all) {
        const viewer = toViewer(watcher, now)
        if (viewer === undefined) continue
        for (const subject of toSubjects(watcher).filter(isOne)) {
          const groups: Groups = found.get(subject) ?? new Map()
          gather(groups, watcher, viewer)
          found.set(subject, groups)
        }
      }
      return new Map([...found].map(([subject, groups]) => [subject, [...groups.values()]]))
    },
  }
}

function toSubjects(watcher: Watcher): string[] {
  return [...LIST_KINDS.filter((kind) => watcher.wants(kind)), ...watcher.addresses()]
}

/** By the key of those who see the same. */
type Groups = Map<string, Gathering>

function gather(groups: Groups, watcher: Watcher, viewer: Viewer): void {
  const key = toViewerKey(viewer)
  const group = groups.get(key) ?? { key, viewer, members: [], isRead: false }
  group.members.push(watcher)
  group.isRead ||= isThere(watcher)
  groups.set(key, group)
}

const isThere = (watcher: Watcher): boolean => watcher.isThere?.() ?? true

interface Gathering extends Group {
  readonly members: Watcher[]
  isRead: boolean
}

/** What may be told to it is what its principal may see now, whatever that was when it came. */
function toViewer(watcher: Watcher, now: number): Viewer | undefined {
  const who = watcher.who()
  const principal = who && toStanding(who.principal, now)
  return who && principal && { principal, attached: who.attached }
}

/** Never throws: one that cannot be told must not keep the others from it. */
export function tellWatcher(watcher: Watcher, subject: string): void {
  const told: ToClient = isListKind(subject)
    ? [`notifications/${subject}/list_changed`, {}]
    : ['notifications/resources/updated', { uri: subject }]
  try {
    watcher.tell(...told)
  } catch {
    // It has left.
  }
}

export function isListKind(subject: string): subject is ListKind {
  return LIST_KINDS.includes(subject as ListKind)
}
