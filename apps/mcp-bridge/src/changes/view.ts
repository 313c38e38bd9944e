import { createHash } from 'node:crypto'

/** What a look brought. `first`: it was not known before, so nothing can be said; `unseen`: it cannot be seen now. */
export type Look = 'same' | 'different' | 'first' | 'unseen'

/** Something as clients see it, remembered while somebody watches, to tell whether it has changed. */
export interface View {
  /** Remembers how it looks, unless that is known. Never rejects. */
  learn(): Promise<void>
  /** Looks again. Never rejects. */
  look(): Promise<Look>
  /** Nobody watches any more. */
  forget(): void
}

/** @param render the thing as text */
export function createView(render: () => Promise<string>): View {
  let seen: string | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function look(): Promise<Look> {
    const text = await render().catch(() => undefined)
    if (text === undefined) return 'unseen'
    const before = seen
    seen = createHash('sha256').update(text).digest('base64')
    if (before === undefined) return 'first'
    return before === seen ? 'same' : 'different'
  }

  /** One look at a time, so that an older one never overwrites a newer one. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn
    return turn
  }

  return {
    learn: () => inTurn(async () => void (seen === undefined && (await look()))),
    look: () => inTurn(look),
    forget: () =>
      void inTurn(async () => {
        seen = undefined
      }),
  }
}
