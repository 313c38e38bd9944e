import { INDEX_URI, skillsFunctions } from '@iii/protocol'
import { suggestNames } from '@iii/sdk'
import { suggestFrom } from '../gate/unknown-name.ts'
import type { McpCall } from '../mcp/call.ts'
import { createKept } from '../mcp/kept.ts'
import { type RegistryClient, type RegistryRow, seesRow } from './registry.ts'

const SCHEME = 'iii://'
/** Also where it is half there, or in capitals. */
const BEGINNING = /^iii:\/*/i
/** The addresses of thousands of skills are megabytes with what lists say of them: who asks wrongly again and again has them listed once. */
const FRESH_MS = 1_000
/** Nothing is near to what is longer. */
const MAX_LENGTH = 256

export interface AddressAdviceOptions {
  readonly registry: Pick<RegistryClient, 'list'>
  /** What is there beside what the registry has. */
  readonly others: readonly { uri: string }[]
}

/** Tells a client which addresses that it may read are near to a text that is none. */
export function createAddressAdvice({ registry, others }: AddressAdviceOptions) {
  const listed = createKept(async (timeoutMs: number): Promise<readonly RegistryRow[]> => {
    const rows = await registry.list<RegistryRow>(skillsFunctions.resourcesList, 'resources', timeoutMs)
    return rows.map(({ uri, skill }) => ({ uri, skill }))
  }, FRESH_MS)
  return (text: string, { principal, limits }: Pick<McpCall, 'principal' | 'limits'>): Promise<string> =>
    adviseAddress(text, async () => {
      const rows = await listed.get(limits.plainMs)
      return [...rows.filter((row) => seesRow(principal, row)), ...others]
    })
}

/**
 * Goes on after what is wrong with an address that is none: the nearest ones.
 *
 * @param list what the client may read; asked only where something may be near
 * @returns an empty text where nothing is near, and for the old form of sections, whose refusal says how they are written
 */
export async function adviseAddress(text: string, list: () => Promise<readonly { uri: unknown }[]>): Promise<string> {
  if (text.includes('::') || text.length > MAX_LENGTH) return ''
  const rows = await list().catch(() => [])
  const paths = rows.flatMap(({ uri }) =>
    typeof uri === 'string' && uri.startsWith(SCHEME) ? [uri.slice(SCHEME.length)] : [],
  )
  const nearest = suggestFrom(text.replace(BEGINNING, ''), paths).map((path) => `${SCHEME}${path}`)
  return nearest.length === 0 ? '' : suggestNames(nearest, `${INDEX_URI} has all of them`)
}
