/** A field of a cron expression. */
export interface CronField {
  readonly name: string
  readonly min: number
  readonly max: number
  /** The names its values have, the first for `min`. */
  readonly names?: readonly (readonly string[])[]
  /** What a wrong name is called. */
  readonly nameKind?: string
  /** Whether `?` stands for `*`. */
  readonly any?: true
  /** The value of this field at a time. */
  readonly of: (time: Date) => number
}

const MONTHS = [
  ['january', 'jan'],
  ['february', 'feb'],
  ['march', 'mar'],
  ['april', 'apr'],
  ['may'],
  ['june', 'jun'],
  ['july', 'jul'],
  ['august', 'aug'],
  ['september', 'sep'],
  ['october', 'oct'],
  ['november', 'nov'],
  ['december', 'dec'],
] as const

const DAYS = [
  ['sunday', 'sun'],
  ['monday', 'mon'],
  ['tuesday', 'tues', 'tue'],
  ['wednesday', 'wed'],
  ['thursday', 'thurs', 'thu'],
  ['friday', 'fri'],
  ['saturday', 'sat'],
] as const

/** The fields in their order. */
export const FIELDS: readonly CronField[] = [
  { name: 'Seconds', min: 0, max: 59, of: (time) => time.getUTCSeconds() },
  { name: 'Minutes', min: 0, max: 59, of: (time) => time.getUTCMinutes() },
  { name: 'Hours', min: 0, max: 23, of: (time) => time.getUTCHours() },
  { name: 'Days of Month', min: 1, max: 31, any: true, of: (time) => time.getUTCDate() },
  { name: 'Months', min: 1, max: 12, names: MONTHS, nameKind: 'month name', of: (time) => time.getUTCMonth() + 1 },
  {
    name: 'Days of Week',
    min: 1,
    max: 7,
    names: DAYS,
    nameKind: 'day of the week',
    any: true,
    of: (time) => time.getUTCDay() + 1,
  },
]

/** The field that may follow them. */
export const YEARS: CronField = { name: 'Years', min: 1970, max: 2100, of: (time) => time.getUTCFullYear() }
