import { setFlagsFromString } from 'node:v8'

/** In percent of what lives on. V8 lets a small heap grow to a multiple of that before it looks for garbage. */
const MORE = 40

/**
 * Keeps what this process has for what lives on close to what does live on: a worker that serves for months has little of it, and what a burst
 * of calls leaves there would stay with the process. Who has chosen how it grows, or how large it may be, has that.
 *
 * @param given the flags that this Node was started with
 */
export function limitOldHeap(given: string, setFlag: (flag: string) => void = setFlagsFromString): void {
  if (/heap[-_]growing[-_]percent|old[-_]space[-_]size/.test(given)) return
  setFlag(`--heap-growing-percent=${MORE}`)
}
