import { CATALOG } from './catalog.ts'
import type { Field } from './field.ts'

/** Fields that are explained once for all faults. */
const SHARED: ReadonlySet<string> = new Set(['function', 'worker', 'chance', 'times', 'skip'])

/** Every fault in a line, for the command line. */
export function formatFaultHelp(): string {
  const width = Math.max(...Object.keys(CATALOG).map((name) => name.length))
  const lines = Object.entries(CATALOG).map(([name, { about, fields }]) => {
    const own = Object.entries<Field>(fields).filter(([key]) => !SHARED.has(key))
    const forms = own.map(([key, { form, needed }]) => (needed ? ` ${key}=${form}` : ` [${key}=${form}]`))
    return `  ${name.padEnd(width)}  ${about}${own.length > 0 ? `:${forms.join('')}` : ''}\n`
  })
  return `${lines.join('')}
Most of them also take, to strike less: function=NAME* worker=NAME* (* stands for any characters), chance=0..1,
times=N (at most), skip=N (lets the first N pass).
`
}
