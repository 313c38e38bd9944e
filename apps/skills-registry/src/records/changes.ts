import type { PromptChange, SkillChange } from '@iii/protocol'
import type { ChangeEvent } from '../store/replica.ts'

/** What subscribers are told of a change; the owner before only when it is another one now. */
export function toChange({ op, changed, owner, previousOwner }: ChangeEvent) {
  const overwritten = op === 'register' && previousOwner !== undefined && previousOwner !== owner
  return overwritten ? { op, changed, previous_owner: previousOwner } : { op, changed }
}

/**
 * One change that stands for two of the same record, for a subscriber that was told of neither: what it says of the record is the
 * later one's, it changed when either changed it, and `previous_owner` is who had it last before the owner of now.
 */
export function mergeChanges<Change extends SkillChange | PromptChange>(earlier: Change, later: Change): Change {
  const changed = earlier.changed || later.changed
  if (later.op === 'unregister' || later.previous_owner !== undefined) return { ...later, changed }
  const { previous_owner } = earlier
  return previous_owner === undefined ? { ...later, changed } : { ...later, changed, previous_owner }
}
