import { compareText } from '@iii/protocol'
import { findDifference } from '../diff/difference.ts'
import type { CacheReceipt } from '../record/run-record.ts'
import type { Task } from '../tasks/task.ts'
import type { CachedResult, Ingredients, KnownBaseline } from './stored.ts'

export interface CacheQuestion {
  readonly task: Pick<Task, 'runs' | 'record' | 'isDestructive'>
  readonly force: boolean
  readonly ingredients: Ingredients
  /** What lies under the key of these ingredients. */
  readonly stored: CachedResult | undefined
  /** The last time that the task passed, with whatever ingredients. */
  readonly baseline: KnownBaseline | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Why results of a task are never taken from the cache, in words; undefined where they may be. */
export function findCacheObstacle({ runs, record, isDestructive }: CacheQuestion['task']): string | undefined {
  if (runs.cache === undefined) return 'no runs.cache in its metadata'
  if (isDestructive) return 'destructiveHint: what it does has to be done'
  return record === 'redacted' ? undefined : `runs.record is ${record}: its result is not kept`
}

/** Says whether a stored result will do, and why or why not, in words. */
export function decideOnCache({ task, force, ingredients, stored, baseline, now }: CacheQuestion): CacheReceipt {
  const obstacle = findCacheObstacle(task)
  if (obstacle !== undefined) return { decision: 'disabled', reason: obstacle }
  if (force) return { decision: 'bypassed', reason: 'force' }
  if (stored !== undefined && !isExpired(stored, task.runs.cache?.ttl_ms, now)) {
    return { decision: 'hit', reason: 'same definition, input and dependencies', run_id: stored.run_id }
  }
  if (stored !== undefined) return { decision: 'miss', reason: 'expired' }
  if (baseline === undefined) return { decision: 'miss', reason: 'never passed' }
  const changes = baseline.ingredients === undefined ? [] : explainChanges(baseline.ingredients, ingredients)
  return { decision: 'miss', reason: changes.join('; ') || 'not in the cache' }
}

/** A clock that was set back must not keep a result for ever. */
function isExpired({ stored_at }: CachedResult, ttlMs: number | undefined, now: number): boolean {
  if (ttlMs === undefined) return false
  const age = now - Date.parse(stored_at)
  return !(age >= 0 && age < ttlMs)
}

/** What differs between two sets of ingredients, a sentence each. */
function explainChanges(before: Ingredients, after: Ingredients): string[] {
  const { added, removed, changed } = findDifference(before.input, after.input)
  const needs = findChangedNeeds(before, after)
  return [
    ...explainPointers('input changed', changed),
    ...explainPointers('input added', added),
    ...explainPointers('input removed', removed),
    ...explainDefinition(before, after),
    ...(needs.length === 0 ? [] : [`dependency ${needs.join(', ')} changed`]),
  ]
}

/** The version is a part of the definition. */
function explainDefinition(before: Ingredients, after: Ingredients): string[] {
  if (before.version !== after.version) return ['version changed']
  return before.fingerprint === after.fingerprint ? [] : ['definition changed']
}

/** The dependencies whose results differ, or that only one side has. */
function findChangedNeeds(before: Ingredients, after: Ingredients): string[] {
  const ids = new Set([...Object.keys(before.needs), ...Object.keys(after.needs)])
  return [...ids].filter((id) => before.needs[id] !== after.needs[id]).sort(compareText)
}

const MAX_POINTERS_TOLD = 5

function explainPointers(what: string, pointers: readonly string[]): string[] {
  if (pointers.length === 0) return []
  const more = pointers.length > MAX_POINTERS_TOLD ? ` and ${pointers.length - MAX_POINTERS_TOLD} more` : ''
  const told = pointers.slice(0, MAX_POINTERS_TOLD).map((pointer) => pointer || '(all of it)')
  return [`${what}: ${told.join(', ')}${more}`]
}
