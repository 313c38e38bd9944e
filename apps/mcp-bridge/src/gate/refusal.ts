import { type ExposureRules, formatToolName, type Refusal, refuse as refuseId, type Via } from '@iii/protocol'
import { readKey } from './sight.ts'

/** The gate's rules, for a function by its key: they are the same in every namespace. */
export function refuse(key: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  const { id, namespace } = readKey(key)
  const refusal = refuseId(id, metadata, rules, via)
  if (refusal?.reason !== 'acts') return refusal
  return { ...refusal, message: `${refusal.message} Call it as a tool: ${formatToolName(id, namespace)}` }
}
