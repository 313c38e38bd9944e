import { createHash } from 'node:crypto'
import type { Viewer } from './viewer.ts'

/** Something as text, as it is for somebody. */
export type Draw = (viewer: Viewer) => Promise<string>

/** Something as those see it who see the same, remembered while one of them watches, to tell whether it has changed. */
export interface WatchedView {
  /** How it looked last, as a digest; undefined where nobody has seen it. */
  readonly seen: string | undefined
  /** Looks, unless it is known. Never rejects. */
  learn(viewer: Viewer): Promise<string | undefined>
  /** Looks again; undefined where it cannot be seen now. Never rejects. */
  look(viewer: Viewer): Promise<string | undefined>
}

export function createView(draw: Draw): WatchedView {
  let seen: string | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function look(viewer: Viewer): Promise<string | undefined> {
    const text = await draw(viewer).catch(() => undefined)
    if (text === undefined) return undefined
    seen = createHash('sha256').update(text).digest('base64')
    return seen
  }

  /** One look at a time, so that an older one never overwrites a newer one. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn
    return turn
  }

  return {
    get seen() {
      return seen
    },
    learn: (viewer) => inTurn(async () => seen ?? (await look(viewer))),
    look: (viewer) => inTurn(() => look(viewer)),
  }
}
