import type { DropConnection, FaultName, RuleOf } from './rule.ts'

/** A field of a rule: what it takes, from code and from the command line. */
export interface RuleField {
  /** In words, after "takes". */
  readonly takes: string
  /** How it is written on the command line. */
  readonly form: string
  readonly needed?: true
  fits(value: unknown): boolean
  /** The value that a text stands for; whether it fits is another question. */
  read(text: string): unknown
}

const asIs = (text: string): unknown => text

function toNumber(text: string): unknown {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function number(takes: string, form: string, fits: (value: number) => boolean): RuleField {
  return { takes, form, fits: (value) => typeof value === 'number' && fits(value), read: toNumber }
}

/** The longest delay that a timer keeps. */
const MAX_MS = 2 ** 31 - 1
const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MAX_MS

const glob: RuleField = {
  takes: 'a name, in which * stands for any characters',
  form: 'NAME*',
  fits: (value) => typeof value === 'string' && value !== '',
  read: asIs,
}

const words: RuleField = {
  takes: 'a text',
  form: '"TEXT"',
  fits: (value) => typeof value === 'string',
  read: asIs,
}

const chance = number('a number from 0 to 1', '0..1', (value) => value >= 0 && value <= 1)
const count = number('a whole number from 1', 'N', (value) => Number.isSafeInteger(value) && value >= 1)
const skip = number('a whole number from 0', 'N', (value) => Number.isSafeInteger(value) && value >= 0)
const ms = number('milliseconds', 'MS', isMs)
const period = number('milliseconds, at least 1', 'MS', (value) => isMs(value) && value >= 1)

/** A fixed time or a range. */
const wait: RuleField = {
  takes: 'milliseconds, or a range of them (10..50, in code [10, 50])',
  form: 'MS|MIN..MAX',
  fits(value) {
    if (!Array.isArray(value)) return isMs(value)
    const [min, max, ...more] = value as unknown[]
    return more.length === 0 && isMs(min) && isMs(max) && min <= max
  },
  read(text) {
    const [, min, max] = /^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)$/.exec(text) ?? []
    return min === undefined ? toNumber(text) : [Number(min), Number(max)]
  },
}

function oneOf(...options: readonly string[]): RuleField {
  return {
    takes: options.map((option) => `'${option}'`).join(' or '),
    form: options.join('|'),
    fits: (value) => options.some((option) => option === value),
    read: asIs,
  }
}

function needed(field: RuleField): RuleField {
  return { ...field, needed: true }
}

/** What a fault does in one line, and its fields. */
export interface CatalogEntry<N extends FaultName = FaultName> {
  readonly about: string
  readonly fields: { readonly [K in Exclude<keyof RuleOf<N>, 'fault'>]-?: RuleField }
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

/** Fields that are explained once for all faults. */
const SHARED: ReadonlySet<string> = new Set(['function', 'worker', 'chance', 'times', 'skip'])

/** Every fault in a line, for the command line. */
export function formatFaultHelp(): string {
  const width = Math.max(...Object.keys(CATALOG).map((name) => name.length))
  const lines = Object.entries(CATALOG).map(([name, { about, fields }]) => {
    const own = Object.entries<RuleField>(fields).filter(([key]) => !SHARED.has(key))
    const forms = own.map(([key, { form, needed }]) => (needed ? ` ${key}=${form}` : ` [${key}=${form}]`))
    return `  ${name.padEnd(width)}  ${about}${own.length > 0 ? `:${forms.join('')}` : ''}\n`
  })
  return `${lines.join('')}
Most of them also take, to strike less: function=NAME* worker=NAME* (* stands for any characters), chance=0..1,
times=N (at most), skip=N (lets the first N pass).
`
}
