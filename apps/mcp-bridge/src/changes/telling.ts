import type { ChangeCause, Hearing } from '../resources/hearing.ts'
import { createMemory } from './memory.ts'
import { isHeld, type Viewer } from './viewer.ts'
import type { Views } from './views.ts'
import { type Group, tellWatcher, type Watcher, type Watchers } from './watchers.ts'

/**
 * How sure a hint is. `maybe`: look and compare. `likely`: tell also when there is nothing to compare with. `sure`: tell. `owed`: tell everybody,
 * whatever there is to compare with, since it is not what they were given.
 */
export type Certainty = 'maybe' | 'likely' | 'sure' | 'owed'

/** What is told to whom: to whoever is held to a grant only what that lets it see at the moment, and when that looks otherwise than before. */
export interface Telling {
  /** What there is to be looked at for those who watch. */
  subjects(): string[]
  /** Is it only being learned? It may be learned with a change in it already. */
  isBlind(subject: string): boolean
  /** Tells of what is sure or owed, as far as that needs no look. */
  tell(subject: string, certainty: Certainty, because: ChangeCause): void
  /**
   * Looks, and tells those for whom it is another than before and who were not told already. Who is away hears of it on its return.
   *
   * @returns false where it could not be seen for somebody who still has to be told
   */
  compare(subject: string, certainty: Certainty): Promise<boolean>
  /** Remembers how what is watched looks, where that is not known. Never rejects. */
  learn(): Promise<void>
  /** It has left. */
  forget(watcher: Watcher): void
}

export interface TellingOptions {
  readonly watchers: Watchers
  readonly views: Views
  /** May somebody hear that what is at an address that is not looked at has changed? */
  readonly mayHear: Hearing
  /** Is its list of tools not that of all? What becomes of other tools does not change that. @default that of whoever is held to a grant */
  readonly hasOwnTools?: ((viewer: Viewer) => boolean) | undefined
}

interface Seen {
  readonly watcher: Watcher
  readonly subject: string
  readonly viewer: Viewer
  /** Undefined where it cannot be seen. */
  readonly seen: string | undefined
}

/** No digest is like this. */
const UNREADABLE = ''

export function createTelling({ watchers, views, mayHear, hasOwnTools = isHeld }: TellingOptions): Telling {
  const memory = createMemory()

  /** Is it told only of what looks otherwise to it? */
  function isCompared(subject: string, viewer: Viewer): boolean {
    return subject === 'tools' ? hasOwnTools(viewer) : isHeld(viewer)
  }

  async function tellGroup(subject: string, { viewer, members }: Group, because: ChangeCause): Promise<void> {
    // Of what is looked at such a one is told after the look.
    if (views.has(subject) && isCompared(subject, viewer)) return
    if (isHeld(viewer) && !(await mayHear(subject, viewer.principal, because))) return
    for (const watcher of members) tellWatcher(watcher, subject)
  }

  async function compareGroup(subject: string, { viewer, members }: Group, certainty: Certainty): Promise<boolean> {
    const seen = await views.look(subject, viewer)
    const isTold = certainty === 'owed' || (certainty === 'sure' && !isCompared(subject, viewer))
    // What is sure is told where there is nothing to compare with, but not of what a grant may hide.
    const tellsFirst = certainty === 'sure' && seen !== undefined && !isHeld(viewer)
    for (const watcher of members) {
      const isFirst = !memory.has(watcher, subject)
      const isNew = isNews({ watcher, subject, viewer, seen }) || (isFirst && tellsFirst)
      if (isNew && !isTold) tellWatcher(watcher, subject)
    }
    return seen !== undefined || isTold
  }

  /** To whoever is held to a grant what becomes readable is news; anybody else has been told already. */
  function isNews({ watcher, subject, viewer, seen }: Seen): boolean {
    if (seen !== undefined) return memory.see(watcher, subject, seen) === 'different'
    if (isHeld(viewer) && !memory.has(watcher, subject)) memory.see(watcher, subject, UNREADABLE)
    return false
  }

  async function learnGroup(subject: string, { viewer, key, members }: Group): Promise<void> {
    const unaware = members.filter((watcher) => !memory.has(watcher, subject))
    if (unaware.length === 0) return
    const seen = views.seen(subject, key) ?? (await views.learn(subject, viewer))
    for (const watcher of unaware) isNews({ watcher, subject, viewer, seen })
  }

  return {
    // Whoever lists all tools is told of them without a look.
    subjects: () =>
      [...views.subjects()].filter(
        (subject) => subject !== 'tools' || watchers.groups(subject).some(({ viewer }) => isCompared(subject, viewer)),
      ),
    isBlind(subject) {
      if (!views.has(subject)) return false
      const isUnseen = ({ viewer, key, isRead }: Group) =>
        isRead && !isHeld(viewer) && views.seen(subject, key) === undefined
      return watchers.groups(subject).some(isUnseen)
    },
    tell(subject, certainty, because) {
      for (const group of watchers.groups(subject)) {
        if (certainty === 'owed') for (const watcher of group.members) tellWatcher(watcher, subject)
        if (certainty === 'sure') tellGroup(subject, group, because).catch(() => undefined)
      }
    },
    async compare(subject, certainty) {
      const groups = views.has(subject) ? watchers.groups(subject).filter(({ isRead }) => isRead) : []
      const looks = await Promise.all(groups.map((group) => compareGroup(subject, group, certainty)))
      return !looks.includes(false)
    },
    async learn() {
      views.follow(watchers.addresses())
      const groupsOf = watchers.groupsOf(views.has)
      await Promise.all(
        [...views.subjects()].flatMap((subject) => {
          const groups = groupsOf.get(subject) ?? []
          views.keep(subject, new Set(groups.map(({ key }) => key)))
          return groups.map((group) => learnGroup(subject, group))
        }),
      )
    },
    forget: memory.forget,
  }
}
