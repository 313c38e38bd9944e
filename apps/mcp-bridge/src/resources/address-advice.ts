import { INDEX_URI } from '@iii/protocol'
import { suggestNames } from '@iii/sdk'
import { suggestFrom } from '../gate/unknown-name.ts'

const SCHEME = 'iii://'
/** Also where it is half there, or in capitals. */
const BEGINNING = /^iii:\/*/i

/**
 * Goes on after what is wrong with an address that is none: the nearest ones.
 *
 * @param list what the client may read; asked only where something may be near
 * @returns an empty text where nothing is near, and for the old form of sections, whose refusal says how they are written
 */
export async function adviseAddress(text: string, list: () => Promise<readonly { uri: unknown }[]>): Promise<string> {
  if (text.includes('::')) return ''
  const rows = await list().catch(() => [])
  const paths = rows.flatMap(({ uri }) =>
    typeof uri === 'string' && uri.startsWith(SCHEME) ? [uri.slice(SCHEME.length)] : [],
  )
  const nearest = suggestFrom(text.replace(BEGINNING, ''), paths).map((path) => `${SCHEME}${path}`)
  return nearest.length === 0 ? '' : suggestNames(nearest, `${INDEX_URI} has all of them`)
}
