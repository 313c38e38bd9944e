import { Fault, formatUri } from '@iii/protocol'
import { readKey } from './sight.ts'

/** The address of the section that a function renders, by its key; undefined where its id or its namespace has none. */
export function toSectionUri(key: string): string | undefined {
  const { namespace, id: functionId } = readKey(key)
  try {
    return formatUri({ kind: 'section', functionId, namespace })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
