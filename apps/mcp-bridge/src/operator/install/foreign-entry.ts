import { isRecord } from '@iii/protocol'
import type { EntryPlace, EntryTarget } from './entry-place.ts'
import { startsThisServer } from './own-entry.ts'

/** How the entries of servers look that are not started but reached. */
const REMOTE = ['url', 'serverUrl', 'httpUrl']

/** What somebody else has put under the name; undefined for nothing. An entry that is empty but for its kind is nobody's. */
export function explainForeign(
  { entry, where }: EntryPlace,
  { client, name, script }: EntryTarget,
): string | undefined {
  if (entry === undefined) return undefined
  const subject = `${where}'${name}' below '${client.key}'`
  if (!isRecord(entry)) return `${subject} is no object`
  const remote = REMOTE.find((key) => entry[key] !== undefined)
  if (remote !== undefined) return `${subject} is another server, reached by its ${remote}`
  const { command } = entry
  if (startsThisServer(entry, script)) return undefined
  if (command !== undefined) {
    return `${subject} is another server, started with ${typeof command === 'string' ? command : 'a command of its own'}`
  }
  const isEmpty = Object.keys(entry).every((key) => key in client.extras)
  return isEmpty ? undefined : `${subject} is another server, started by neither command nor address`
}

/** Whether an entry says all that ours does. What else its owner wrote beside the same command stays. */
export function isSaidBy(entry: unknown, ours: unknown): boolean {
  if (!isRecord(ours)) return JSON.stringify(entry) === JSON.stringify(ours)
  return isRecord(entry) && Object.entries(ours).every(([key, value]) => isSaidBy(entry[key], value))
}
