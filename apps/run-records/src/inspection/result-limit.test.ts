import { toJsonText } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { isFitting, MAX_RESULT_BYTES, toFitting } from './result-limit.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `task-${at}`, text: 'ü'.repeat(100) }))

describe('a result', () => {
  it('stays as it is while it fits', () => {
    const result = { jobs: [1], tasks: many(10) }
    expect(toFitting(result, ['jobs', 'tasks'], MAX_RESULT_BYTES)).toBe(result)
  })

  it('loses the ends of its lists, the last named first, and says how much', () => {
    const cut = toFitting(
      { jobs: many(10), tasks: many(5000) } as { jobs: unknown[]; tasks: unknown[]; left_out?: number },
      ['jobs', 'tasks'],
      MAX_RESULT_BYTES,
    )
    expect(cut.jobs).toHaveLength(10)
    expect(cut.tasks.length + (cut.left_out ?? 0)).toBe(5000)
    expect(isFitting(cut, MAX_RESULT_BYTES)).toBe(true)
    expect(isFitting({ ...cut, tasks: many(cut.tasks.length + 1) }, MAX_RESULT_BYTES)).toBe(false)
    // As a bridge sends it: once as text, once as data.
    expect(Buffer.byteLength(toJsonText(cut) ?? '') + Buffer.byteLength(JSON.stringify(cut))).toBeLessThan(1_048_576)
    const both = toFitting(
      { jobs: many(5000), tasks: many(7) } as { jobs: unknown[]; tasks: unknown[]; left_out?: number },
      ['jobs', 'tasks'],
      MAX_RESULT_BYTES,
    )
    expect(both.tasks).toEqual([])
    expect(both.left_out).toBe(7 + 5000 - both.jobs.length)
  })
})
