import { createHash } from 'node:crypto'

/** What a look brought. `same` also where there was nothing to compare with; `unseen`: it cannot be seen now. */
type Look = 'same' | 'different' | 'unseen'

/** Something as clients see it, remembered while somebody watches, to tell whether it has changed. */
export interface View {
  /** Is there something to compare with? */
  isKnown(): boolean
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
    return before === undefined || before === seen ? 'same' : 'different'
  }

  /** One look at a time, so that an older one never overwrites a newer one. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn
    return turn
  }

  return {
    isKnown: () => seen !== undefined,
    learn: () => inTurn(async () => void (seen === undefined && (await look()))),
    look: () => inTurn(look),
    forget: () =>
      void inTurn(async () => {
        seen = undefined
      }),
  }
}
