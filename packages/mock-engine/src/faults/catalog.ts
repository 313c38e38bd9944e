import { chance, count, type Field, glob, ms, needed, oneOf, period, skip, wait, words } from './field.ts'
import type { DropConnection, FaultName, RuleOf } from './rule.ts'

/** What a fault does in one line, and its fields. */
export interface CatalogEntry<N extends FaultName = FaultName> {
  readonly about: string
  readonly fields: { readonly [K in Exclude<keyof RuleOf<N>, 'fault'>]-?: Field }
  /** What is wrong with fields that fit one by one. */
  contradiction?(rule: RuleOf<N>): string | undefined
}

const limits = { chance, times: count, skip }
const calls = { function: glob, worker: glob, ...limits }

/** Every fault there is: the only place that lists them, for code, command line and help. */
export const CATALOG: { readonly [N in FaultName]: CatalogEntry<N> } = {
  'lose-early-result': {
    about: 'drops a result that comes within withinMs (1) of its call; a later copy counts',
    fields: { ...calls, withinMs: ms },
  },
  'lose-result': { about: 'drops every copy of a result', fields: calls },
  'delay-call': { about: 'hands a call over late, to built-in functions too', fields: { ...calls, ms: needed(wait) } },
  'delay-result': {
    about: 'answers a call late, those of built-in functions too',
    fields: { ...calls, ms: needed(wait) },
  },
  'fail-call': { about: 'answers a call with an error', fields: { ...calls, code: words, message: words } },
  'drop-connection': {
    about: 'cuts a worker off, or says goodbye with a close frame',
    fields: {
      ...calls,
      how: oneOf('cut', 'close'),
      when: oneOf('now', 'connect', 'register', 'call', 'result', 'own-call'),
    },
    contradiction: dropContradiction,
  },
  'stop-reading': { about: 'reads nothing more of what a worker sends', fields: { worker: glob, ...limits, ms } },
  reorder: {
    about: 'shuffles calls and results that come within windowMs (20)',
    fields: { ...calls, windowMs: period },
  },
  'refuse-http': { about: 'does not listen on the HTTP port', fields: { ms } },
  'slow-http': { about: 'takes HTTP requests up late', fields: { function: glob, ...limits, ms: needed(wait) } },
  restart: {
    about: 'restarts the engine every so often',
    fields: { everyMs: needed(period), state: oneOf('keep', 'lose'), downMs: ms, times: count },
  },
}

function dropContradiction({ when = 'now', function: called, worker }: DropConnection): string | undefined {
  if (called !== undefined && (when === 'now' || when === 'connect')) {
    return `when '${when}' is about no function: leave function out, or name the worker`
  }
  if (worker !== undefined && when === 'connect') {
    return "a worker that connects has no name yet: leave worker out, or use when 'register' with a function"
  }
  return undefined
}
