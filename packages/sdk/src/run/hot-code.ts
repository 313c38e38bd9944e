import { setFlagsFromString } from 'node:v8'

/** In bytecodes that a function has run. V8 waits for more than three times as many. */
const SOON = 20_000

/**
 * Has V8 optimize what this process runs again and again after fewer calls. By its own measure a worker that is asked now and then runs for
 * thousands of calls in code that takes twice the processor time. Not for a start: most of that runs once.
 *
 * @param given what else was said to this Node: who has chosen a budget has it
 */
export function optimizeSooner(given: string, setFlag: (flag: string) => void = setFlagsFromString): void {
  if (!/interrupt[-_]budget/.test(given)) setFlag(`--interrupt-budget=${SOON}`)
}
