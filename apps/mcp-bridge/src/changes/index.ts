import type { McpChange } from '@iii/protocol'
import { within } from '@iii/sdk'
import { createFunctionDiff, type FunctionRow } from './function-diff.ts'
import { createPacer, type Pace } from './pacer.ts'
import { isFileOfSkill } from './skill-files.ts'
import { createViews } from './views.ts'
import { createWatchers, isListKind, type Watcher } from './watchers.ts'

export type { Watcher } from './watchers.ts'

/**
 * What changes, brought from those who notice it to the clients that watch: once per burst, and only when what a client sees
 * has changed. Costs nothing while nobody watches.
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
  /** Workers or functions came or went, or the rules for what is shown are others. */
  engineChanged(): void
  skillChanged(id: string): void
  promptChanged(): void
  /** Somebody who knows says so; it is told as it is. */
  announced(change: McpChange): void
  close(): void
}

export interface ChangesOptions {
  /** Lists and pages as clients see them, by kind and by address. */
  readonly render: ReadonlyMap<string, () => Promise<string>>
  /** The same for other addresses, as long as somebody has subscribed to them; undefined for those that are not looked at. */
  readonly renderOf?: (uri: string) => (() => Promise<string>) | undefined
  /** Looks at the tools of the engine again. */
  readonly refreshTools: () => Promise<void>
  readonly pace?: Pace
  /** How often to look when nothing told us to: a change of metadata under the same id is no event. @default 30000 */
  readonly checkMs?: number
  /** Is it something that no event tells of? Who has subscribed to that hears of it sooner than by the check of everything. */
  readonly isSilent?: (uri: string) => boolean
  /** How often to look at that, as long as anybody has. @default 5000 */
  readonly silentMs?: number
  /** How long to wait when something cannot be seen. @default 1000 */
  readonly retryMs?: number
}

/** How sure a hint is. `maybe`: look and compare. `likely`: tell also when there is nothing to compare with. `sure`: tell. */
type Certainty = 'maybe' | 'likely' | 'sure'

const RANKS: readonly Certainty[] = ['maybe', 'likely', 'sure']
const ANNOUNCED_TOOLS = 'announced tools'
const PATIENCE_MS = 1_000

export function createChanges(options: ChangesOptions): Changes {
  const { render, renderOf, refreshTools, pace, checkMs = 30_000, retryMs = 1_000 } = options
  const watchers = createWatchers()
  const views = createViews(render, renderOf)
  const hints = new Map<string, Certainty>()
  const pacer = createPacer((subject) => void react(subject), pace)
  const touchedBy = createFunctionDiff()

  function hint(subject: string, certainty: Certainty, settleMs?: number): void {
    if (subject !== ANNOUNCED_TOOLS && !watchers.isWatched(subject)) {
      views.forget(subject)
      return
    }
    // What is only being learned may be learned with the change in it already.
    const isBlind = certainty === 'likely' && watchers.isRead(subject) && views.find(subject)?.isKnown() === false
    hints.set(subject, toSurer(hints.get(subject), isBlind ? 'sure' : certainty))
    pacer.hint(subject, settleMs)
  }

  async function react(subject: string): Promise<void> {
    const certainty = hints.get(subject) ?? 'maybe'
    hints.delete(subject)
    if (subject === ANNOUNCED_TOOLS) return refreshTools().then(hintTools, hintTools)
    // What is sure does not wait for a look.
    if (certainty === 'sure') watchers.tell(subject)
    // Who is away hears of the rest on its return.
    if (watchers.isRead(subject)) await compare(subject, certainty)
  }

  async function compare(subject: string, certainty: Certainty): Promise<void> {
    const look = await views.find(subject)?.look()
    if (certainty === 'sure') return
    if (look === 'unseen') setTimeout(hint, retryMs, subject, certainty).unref()
    if (look === 'different') watchers.tell(subject)
  }

  const hintTools = () => hint('tools', 'sure')

  /** A list that nobody has looked at is no news; of a page that somebody subscribed to elsewhere there may be. */
  function hintAll(): void {
    for (const subject of views.subjects()) hint(subject, isListKind(subject) ? 'maybe' : 'likely')
  }

  function learn(): Promise<void> {
    views.follow(watchers.addresses())
    return views.learn(watchers.isWatched)
  }

  const hintSilent = () => pickSilent(watchers.addresses(), options).forEach((uri) => void hint(uri, 'maybe'))
  const checks = [setInterval(hintAll, checkMs).unref()]
  if (options.isSilent) checks.push(setInterval(hintSilent, options.silentMs ?? 5_000).unref())

  return {
    watch(watcher) {
      const isBack = watchers.has(watcher)
      const leave = watchers.add(watcher)
      void learn()
      if (isBack) hintAll()
      return leave
    },
    ready: () => within(PATIENCE_MS, learn()),
    isWatched: watchers.isAnybodyThere,
    toolsChanged: (settleMs) => hint('tools', 'sure', settleMs),
    functionsSeen(rows) {
      const touched = touchedBy(rows)
      for (const uri of touched) hint(uri, 'sure')
      if (touched.size > 0) hintAll()
    },
    engineChanged: hintAll,
    skillChanged(id) {
      for (const subject of render.keys()) if (subject !== 'prompts') hint(subject, 'likely')
      hint(`iii://${id}`, 'sure')
      for (const uri of new Set(watchers.addresses())) if (isFileOfSkill(uri, id)) hint(uri, 'sure')
    },
    promptChanged: () => hint('prompts', 'likely'),
    announced(change) {
      if (change.kind === 'tools') hint(ANNOUNCED_TOOLS, 'sure')
      else hint(change.kind === 'resource' ? change.uri : change.kind, 'sure')
    },
    close() {
      pacer.close()
      for (const check of checks) clearInterval(check)
    },
  }
}

/** What no event tells of. */
function pickSilent(uris: Iterable<string>, { isSilent }: ChangesOptions): string[] {
  return [...uris].filter((uri) => isSilent?.(uri) === true)
}

function toSurer(one: Certainty = 'maybe', other: Certainty): Certainty {
  return RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other
}
