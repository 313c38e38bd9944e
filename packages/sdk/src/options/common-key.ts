import { COMMON_OPTIONS } from './command-line.ts'
import { type AnyOptionTable, envOf, flagsOf } from './option-table.ts'

/**
 * Says of a key that stands in a file or in stored settings, and names what every worker is told by its command line, where it counts.
 *
 * @example
 * explainCommonKey('namespace') // "'namespace' does not count here: it comes from --namespace or III_NAMESPACE alone"
 */
export function explainCommonKey(key: string): string | undefined {
  const table: AnyOptionTable = COMMON_OPTIONS
  const spec = Object.entries(table).find(([name]) => toKey(name) === key)?.[1]
  if (spec === undefined) return undefined
  return `'${key}' does not count here: it comes from ${[...flagsOf(spec), ...envOf(spec)].join(' or ')} alone`
}

/** @example toKey('workerName') // 'worker_name' */
function toKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
