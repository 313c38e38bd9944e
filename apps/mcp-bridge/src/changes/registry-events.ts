import { isRecord } from '@iii/protocol'

/**
 * What an on-change event of the registry is about. One that does not say whether the content changed counts as one that did: other
 * registries than ours say nothing of it.
 *
 * @param key the member that names the skill or prompt
 * @returns undefined for an event without a change, and for anything else
 */
export function readRegistryChange(event: unknown, key: 'id' | 'name'): string | undefined {
  if (!isRecord(event) || event['changed'] === false) return undefined
  const name = event[key]
  return typeof name === 'string' ? name : undefined
}
