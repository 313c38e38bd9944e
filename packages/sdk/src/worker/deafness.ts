import type { Route } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import { DEAFNESS_TIMINGS, type Deafness } from '../wire/readiness.ts'

/** Says that the engine takes nothing in that this worker sends, why that may be, and what to do. */
export function toDeafness(log: Logger, routes: () => readonly Route[]): Omit<Deafness, 'drop' | 'watchLeaving'> {
  return {
    ...DEAFNESS_TIMINGS,
    tell: () => log.warn(explainDeafness(routes())),
    over: () => log.info('the engine reads what this worker sends again'),
  }
}

function explainDeafness(routes: readonly Route[]): string {
  const what = 'the engine has greeted this worker and reads nothing of what it sends, so nothing of it is served'
  const again = 'This worker tries again until it works'
  if (routes.length === 0)
    return `${what}. Look at the load and the log of the engine, and at the network to it. ${again}`
  const paths = [...new Set(routes.map(({ path }) => `/${path.replace(/^\//, '')}`))].join(', ')
  return `${what}, nor is ${paths} reached. Most likely a path that another worker registered has broken the engine's HTTP router: the engine's log names it behind 'panicked at'. Stop the worker that registered it, or restart the engine. ${again}`
}
