import { createSharedState, type SharedState } from '@iii/mock-engine'
import type { SkillFileFact } from '@iii/protocol'
import { skillRecords } from '../skills/skills.ts'
import { SHARDS, toShard } from '../store/index-rows.ts'
import { toIndexed } from '../store/indexed.ts'

export interface FullStore {
  count: number
  /** What each skill says. */
  toBody(at: number): string
  /** What each skill knows of its files. */
  toFiles?(at: number): SkillFileFact[]
}

export function toFullStoreId(at: number): string {
  return `group-${at % 50}/skill-${at}`
}

/** Makes a store as a registry leaves it behind that was told of so many skills: records and their index. */
export function createFullStore({ count, toBody, toFiles = () => [] }: FullStore): SharedState {
  const state = createSharedState()
  const counters = Array.from({ length: SHARDS }, () => 0)
  for (let at = 0; at < count; at += 1) {
    const files = toFiles(at)
    const row = {
      id: toFullStoreId(at),
      registered_at: '2026-11-21T09:30:00.000000Z',
      skill: toBody(at),
      ...(files.length > 0 ? { files } : {}),
    }
    const shard = toShard(row.id)
    state.set('skills', row.id, JSON.stringify(row))
    state.set(`skills::index::${shard}`, row.id, JSON.stringify(toIndexed(skillRecords, row, 'ada')))
    counters[shard] = (counters[shard] ?? 0) + 1
  }
  const head = Object.fromEntries(counters.map((counter, shard) => [`s${shard}`, counter]))
  state.set('skills::index', 'head', JSON.stringify({ epoch: 'full', ...head }))
  return state
}
