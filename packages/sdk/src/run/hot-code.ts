import { setFlagsFromString } from 'node:v8'

/** In bytecodes that a function has run. V8 waits for more than three times as many. */
const SOON = 20_000
/** From this one on Node has a second compiler, for what has run a few hundred times, and no such budget. */
const FIRST_WITH_MAGLEV = 22

/** What is known of the Node that this process runs on. */
export interface NodeFacts {
  readonly version: string
  /** The flags that it was started with. */
  readonly given: string
}

/**
 * Has V8 optimize what this process runs again and again after fewer calls. By its own measure a worker that is asked now and then runs for
 * thousands of calls in code that takes twice the processor time. Not for a start: most of that runs once. Who has chosen a budget has it.
 */
export function optimizeSooner(
  { version, given }: NodeFacts,
  setFlag: (flag: string) => void = setFlagsFromString,
): void {
  if (Number.parseInt(version, 10) >= FIRST_WITH_MAGLEV || /interrupt[-_]budget/.test(given)) return
  setFlag(`--interrupt-budget=${SOON}`)
}
