import { useEffect, useState } from 'preact/hooks'
import { quoteError } from './away-reason.ts'

export type Polled<T> = { readonly value?: T; readonly failure?: string }

/** Asks again and again while the page is visible, each time after the answer before. */
export function usePoll<T>(ask: () => Promise<T>, everyMs: number, key: string): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({})
  // `key` names what is asked
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    async function turn(): Promise<void> {
      if (!document.hidden) {
        const next = await ask().then(
          (value): Polled<T> => ({ value }),
          (error: unknown): Polled<T> => ({ failure: quoteError(error) }),
        )
        if (!isGone) setPolled((before) => ({ ...before, failure: undefined, ...next }) as Polled<T>)
      }
      if (!isGone) timer = setTimeout(() => void turn(), everyMs)
    }
    void turn()
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [key])
  return polled
}
