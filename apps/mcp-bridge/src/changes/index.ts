import type { McpChange } from '@iii/protocol'
import { within } from '@iii/sdk'
import type { ListKind } from '../mcp/call.ts'
import { toOneSpelling } from '../resources/declared/table.ts'
import type { ChangeCause, Hearing } from '../resources/hearing.ts'
import { createFunctionDiff, type FunctionRow } from './function-diff.ts'
import { createPacer } from './pacer.ts'
import { isFileOfSkill } from './skill-files.ts'
import { type Certainty, createTelling } from './telling.ts'
import type { Draw } from './view.ts'
import type { Viewer } from './viewer.ts'
import { createViews } from './views.ts'
import { createWatchers, isListKind, type Watcher } from './watchers.ts'

export type { Watcher } from './watchers.ts'

/**
 * What changes, brought from those who notice it to the clients that watch: once per burst, and only when what a client sees
 * has changed. Who is held to a grant is told of what that lets it see at the moment, and of nothing else. Costs nothing while nobody
 * watches.
 */
export interface Changes {
  /**
   * One that watches already has come back: what may have changed while nobody read what it was told is looked at.
   *
   * @returns how to stop
   */
  watch(watcher: Watcher): () => void
  /** Resolves when what is watched is known: from then on every change of it is told. Waits a second at the most. */
  ready(): Promise<void>
  /** Does anybody wait to hear of changes at the moment? */
  isWatched(): boolean
  /** The list of tools has other bytes than before, or is about to. @param settleMs how long to wait for more to change */
  toolsChanged(settleMs?: number): void
  /** All functions of the engine, whenever somebody looked. */
  functionsSeen(rows: readonly FunctionRow[]): void
  /** Workers or functions came or went. */
  engineChanged(): void
  /** The rules for what is shown are others. Who has only just come may have been shown their lists by the new ones: it is told. */
  rulesChanged(): void
  skillChanged(id: string): void
  promptChanged(): void
  /** Somebody who knows says so; it is told as it is. */
  announced(change: McpChange): void
  /** Clients were given less than this list while it was not known. */
  owed(kind: ListKind): void
  close(): void
}

export interface ChangesOptions {
  /** Lists and pages as clients see them, by kind and by address. */
  readonly render: ReadonlyMap<string, Draw>
  /** The same for other addresses, as long as somebody has subscribed to them; undefined for those that are not looked at. */
  readonly renderOf?: (uri: string) => Draw | undefined
  /** May somebody hear that what is at an address that is not looked at has changed? */
  readonly mayHear: Hearing
  /** Is its list of tools not that of all? It is told when that list has changed. @default that of whoever is held to a grant */
  readonly hasOwnTools?: (viewer: Viewer) => boolean
  /** Looks at the tools of the engine again. */
  readonly refreshTools: () => Promise<void>
  /** Is it something that no event tells of? Who has subscribed to that hears of it sooner than by the check of everything. */
  readonly isSilent?: (uri: string) => boolean
}

const RANKS: readonly Certainty[] = ['maybe', 'likely', 'sure', 'owed']
/** What changes of skills do not change. */
const ELSEWHERE: ReadonlySet<string> = new Set(['prompts', 'tools'])
const ANNOUNCED_TOOLS = 'announced tools'
const PATIENCE_MS = 1_000
/** How often to look when nothing told us to: a change of metadata under the same id is no event. */
const CHECK_MS = 30_000
/** How long to wait when something cannot be seen. */
const RETRY_MS = 1_000
/** How often to look at what no event tells of, as long as anybody has subscribed to that. */
const SILENT_MS = 5_000

export function createChanges(options: ChangesOptions): Changes {
  const { render, renderOf, mayHear, hasOwnTools, refreshTools } = options
  const watchers = createWatchers()
  const views = createViews(render, renderOf)
  const telling = createTelling({ watchers, views, mayHear, hasOwnTools })
  const [hints, causes] = [new Map<string, Certainty>(), new Map<string, ChangeCause>()]
  const pacer = createPacer((subject) => void react(subject))
  const touchedBy = createFunctionDiff()

  function hint(subject: string, certainty: Certainty, settleMs?: number, because?: ChangeCause): void {
    if (subject !== ANNOUNCED_TOOLS && !watchers.isWatched(subject)) {
      views.forget(subject)
      return
    }
    const isSure = certainty === 'likely' && telling.isBlind(subject)
    hints.set(subject, toSurer(hints.get(subject), isSure ? 'sure' : certainty))
    if (because !== undefined) causes.set(subject, unite(causes.get(subject), because))
    pacer.hint(subject, settleMs)
  }

  async function react(subject: string): Promise<void> {
    const [certainty, because] = [hints.get(subject) ?? 'maybe', causes.get(subject) ?? {}]
    hints.delete(subject)
    causes.delete(subject)
    if (subject === ANNOUNCED_TOOLS) return refreshTools().then(hintTools, hintTools)
    // What is sure does not wait for a look.
    telling.tell(subject, certainty, because)
    const isSeen = await telling.compare(subject, certainty)
    if (!isSeen) setTimeout(hint, RETRY_MS, subject, certainty === 'likely' ? certainty : 'maybe').unref()
  }

  const hintTools = () => hint('tools', 'sure')

  /** A list that nobody has looked at is no news; of a page that somebody subscribed to elsewhere there may be. */
  function hintAll(): void {
    for (const subject of telling.subjects()) hint(subject, isListKind(subject) ? 'maybe' : 'likely')
  }

  const hintSilent = () => pickSilent(watchers.addresses(), options).forEach((uri) => void hint(uri, 'maybe'))
  const checks = [setInterval(hintAll, CHECK_MS).unref()]
  if (options.isSilent) checks.push(setInterval(hintSilent, SILENT_MS).unref())

  return {
    watch(watcher) {
      const isBack = watchers.has(watcher)
      const leave = watchers.add(watcher)
      void telling.learn()
      if (isBack) hintAll()
      return () => {
        leave()
        telling.forget(watcher)
      }
    },
    ready: () => within(PATIENCE_MS, telling.learn()),
    isWatched: watchers.isAnybodyThere,
    toolsChanged: (settleMs) => hint('tools', 'sure', settleMs),
    functionsSeen(rows) {
      const touched = touchedBy(rows)
      for (const [uri, functions] of touched) hint(uri, 'sure', undefined, { functions })
      if (touched.size > 0) hintAll()
    },
    engineChanged: hintAll,
    // The tools of all, too: whoever was held to a grant until now may list them from now on.
    rulesChanged: () => [...views.subjects()].forEach((subject) => void hint(subject, 'likely')),
    skillChanged(id) {
      for (const subject of render.keys()) if (!ELSEWHERE.has(subject)) hint(subject, 'likely')
      const hintText = (uri: string) => hint(uri, 'sure', undefined, { skill: id })
      hintText(`iii://${id}`)
      for (const uri of new Set(watchers.addresses())) if (isFileOfSkill(uri, id)) hintText(uri)
    },
    promptChanged: () => hint('prompts', 'likely'),
    announced(change) {
      if (change.kind === 'tools') hint(ANNOUNCED_TOOLS, 'sure')
      else hint(toSubject(change), 'sure', undefined, { isAnnounced: true })
    },
    owed: (kind) => hint(kind, 'owed'),
    close() {
      pacer.close()
      for (const check of checks) clearInterval(check)
    },
  }
}

function toSubject(change: McpChange): string {
  return change.kind === 'resource' ? toOneSpelling(change.uri) : change.kind
}

/** What no event tells of. */
function pickSilent(uris: Iterable<string>, { isSilent }: ChangesOptions): string[] {
  return [...uris].filter((uri) => isSilent?.(uri) === true)
}

function unite(one: ChangeCause = {}, other: ChangeCause): ChangeCause {
  return { ...one, ...other, functions: [...(one.functions ?? []), ...(other.functions ?? [])] }
}

function toSurer(one: Certainty = 'maybe', other: Certainty): Certainty {
  return RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other
}
