import { type ExposureRules, type Refusal, refuse as refuseId, type Via } from '@iii/protocol'
import { readKey } from './sight.ts'

/** The gate's rules, for a function by its key: they are the same in every namespace. */
export function refuse(key: string, metadata: unknown, rules: ExposureRules, via: Via): Refusal | undefined {
  return refuseId(readKey(key).id, metadata, rules, via)
}
