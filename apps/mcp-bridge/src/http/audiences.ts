import { toStanding } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { Changes, Watcher } from '../changes/index.ts'
import type { Viewer } from '../changes/viewer.ts'
import { tellWatcher } from '../changes/watchers.ts'
import { LIST_KINDS } from '../mcp/call.ts'
import type { Line } from '../mcp/exchange.ts'
import type { ToClient } from '../mcp/params.ts'
import type { LiveSession } from '../sessions/index.ts'

/** One of the lines that a session listens on. */
export interface Listener {
  readonly line: Line
  /** Who has opened what carries it at the moment: of one session all are the same, and their tokens need not be. */
  principal: Principal
  /** Does somebody read it at the moment? */
  readonly isRead: () => boolean
}

/** The lines that sessions listen on, and what watches for each session that has any. */
export interface Audiences {
  /**
   * The newest takes the place of the oldest, where a session has as many as it may.
   *
   * @param opened does its response stand? Where it does not, the listener has been removed, and others hear what it was told
   */
  add(live: LiveSession, listener: Listener, opened: Promise<boolean>): void
  find(live: LiveSession, line: Line): Listener | undefined
  /** The line that a message to the session goes to; undefined where it reads none at the moment. */
  toldLine(live: LiveSession): Pick<Line, 'send'> | undefined
  /** Somebody reads it again, and it becomes the newest, where `carry` succeeds. What its session was not told, for its token had ended, it is told. */
  renew<Stream>(
    live: LiveSession,
    listener: Listener,
    principal: Principal,
    carry: () => Stream | undefined,
  ): Stream | undefined
  remove(live: LiveSession, listener: Listener): void
  /** What its client has missed is not known: it is told to look at everything again. */
  tellOfAll(live: LiveSession): void
}

interface Audience {
  readonly all: Listener[]
  readonly watcher: Watcher
  /** Ends all of them. */
  readonly end: () => void
  readonly stopWatching: () => void
}

/** Those that a session has lost count too, until it is clear that it does not come back for them. */
const MAX_LISTENERS = 32

export function createAudiences(watch: Changes['watch']): Audiences {
  const audiences = new WeakMap<LiveSession, Audience>()
  const { send, tell, until } = createTelling()

  /** How what it watches looks is learned at once, for whom it has by then. */
  function begin(live: LiveSession, first: Listener): void {
    const all = [first]
    const watcher: Watcher = {
      who: () => toViewer(findTold(all)),
      wants: () => true,
      isSubscribed: (uri) => live.state.subscriptions.has(uri),
      addresses: () => live.state.subscriptions,
      isThere: () => isRead(all),
      tell: (...told) => tell(all, formatNotification(told)),
    }
    const end = () => {
      for (const listener of [...all]) drop(live, listener)
    }
    live.onEnd.add(end)
    audiences.set(live, { all, watcher, end, stopWatching: watch(watcher) })
  }

  /** @param isReturn was everybody away? */
  function arrive({ all, watcher }: Audience, listener: Listener, isReturn: boolean): void {
    all.push(listener)
    if (isReturn) watch(watcher)
  }

  function drop(live: LiveSession, listener: Listener | undefined): void {
    if (listener === undefined) return
    void listener.line.end()
    remove(live, listener)
  }

  function remove(live: LiveSession, listener: Listener): void {
    const audience = audiences.get(live)
    if (audience === undefined) return
    take(audience.all, listener)
    if (audience.all.length > 0) return
    audience.stopWatching()
    live.onEnd.delete(audience.end)
    audiences.delete(live)
  }

  function tellOfAll(live: LiveSession): void {
    const watcher = audiences.get(live)?.watcher
    if (watcher === undefined) return
    for (const subject of [...LIST_KINDS, ...live.state.subscriptions]) tellWatcher(watcher, subject)
  }

  return {
    add(live, listener, opened) {
      until(opened, listener, () => audiences.get(live)?.all ?? [])
      const audience = audiences.get(live)
      if (audience === undefined) begin(live, listener)
      else {
        const { all } = audience
        arrive(audience, listener, !isRead(all))
        if (all.length > MAX_LISTENERS) drop(live, all.find((each) => !each.isRead()) ?? all[0])
      }
    },
    find: (live, line) => audiences.get(live)?.all.find((listener) => listener.line === line),
    toldLine(live) {
      const told = audiences.get(live)?.all.findLast((each) => each.isRead())
      return told && { send: (message) => send(told, message) }
    },
    renew(live, listener, principal, carry) {
      const audience = audiences.get(live)
      const isReturn = audience !== undefined && !isRead(audience.all)
      const wasUntold = audience !== undefined && mayNotHear(findTold(audience.all))
      const stream = carry()
      if (stream === undefined || audience === undefined) return stream
      listener.principal = principal
      take(audience.all, listener)
      arrive(audience, listener, isReturn)
      if (wasUntold) tellOfAll(live)
      return stream
    },
    remove,
    tellOfAll,
  }
}

function createTelling() {
  /** What was told to those whose responses do not stand yet. */
  const early = new WeakMap<Listener, string[]>()

  function send(listener: Listener, message: string): Promise<boolean> {
    early.get(listener)?.push(message)
    return listener.line.send(message)
  }

  function tell(all: readonly Listener[], message: string): void {
    const told = findTold(all)
    if (told !== undefined) void send(told, message)
  }

  return {
    send,
    tell,
    until(opened: Promise<boolean>, listener: Listener, others: () => readonly Listener[]): void {
      const told: string[] = []
      early.set(listener, told)
      void opened.then((isOpened) => {
        early.delete(listener)
        if (!isOpened) for (const message of told) tell(others(), message)
      })
    },
  }
}

function isRead(all: readonly Listener[]): boolean {
  return all.some((listener) => listener.isRead())
}

/** Every message goes to one stream only: the newest that is read. */
function findTold(all: readonly Listener[]): Listener | undefined {
  return all.findLast((each) => each.isRead()) ?? all.at(-1)
}

function toViewer(listener: Listener | undefined): Viewer | undefined {
  return listener && { principal: listener.principal, attached: false }
}

/** Has its token ended? It was not told anything since. */
function mayNotHear(listener: Listener | undefined): boolean {
  return listener !== undefined && toStanding(listener.principal, Date.now()) === undefined
}

function formatNotification([method, params]: ToClient): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

function take(all: Listener[], listener: Listener): void {
  const at = all.indexOf(listener)
  if (at >= 0) all.splice(at, 1)
}
