/** A field of a rule: what it takes, from code and from the command line. */
export interface Field {
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

function number(takes: string, form: string, fits: (value: number) => boolean): Field {
  return { takes, form, fits: (value) => typeof value === 'number' && fits(value), read: toNumber }
}

/** The longest delay that a timer keeps. */
const MAX_MS = 2 ** 31 - 1
const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MAX_MS

export const glob: Field = {
  takes: 'a name, in which * stands for any characters',
  form: 'NAME*',
  fits: (value) => typeof value === 'string' && value !== '',
  read: asIs,
}

export const words: Field = {
  takes: 'a text',
  form: '"TEXT"',
  fits: (value) => typeof value === 'string',
  read: asIs,
}

export const chance = number('a number from 0 to 1', '0..1', (value) => value >= 0 && value <= 1)
export const count = number('a whole number from 1', 'N', (value) => Number.isSafeInteger(value) && value >= 1)
export const skip = number('a whole number from 0', 'N', (value) => Number.isSafeInteger(value) && value >= 0)
export const ms = number('milliseconds', 'MS', isMs)
export const period = number('milliseconds, at least 1', 'MS', (value) => isMs(value) && value >= 1)

/** A fixed time or a range. */
export const wait: Field = {
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

export function oneOf(...options: readonly string[]): Field {
  return {
    takes: options.map((option) => `'${option}'`).join(' or '),
    form: options.join('|'),
    fits: (value) => options.some((option) => option === value),
    read: asIs,
  }
}

export function needed(field: Field): Field {
  return { ...field, needed: true }
}
