import type { Logger } from '../log.ts'

/**
 * Tells what the author of a worker has given us for that. What it throws, or rejects with, is logged, and neither ends the process nor keeps
 * others from being told.
 *
 * @param what who is told, for the log: `a listener to the state`
 */
export function tellListener<Event>(
  log: Pick<Logger, 'error'>,
  what: string,
  listener: (event: Event) => unknown,
  event: Event,
): void {
  const told = (async () => listener(event))()
  told.catch((error: unknown) => log.error({ err: error }, `${what} failed`))
}
