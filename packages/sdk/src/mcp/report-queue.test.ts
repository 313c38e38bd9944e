import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createReportQueue, type Report } from './report-queue.ts'

const LIMITS = { maxLogs: 3, maxLength: 10 }
const step = fc.oneof(
  fc.record({ what: fc.constant('progress' as const) }),
  fc.record({ what: fc.constant('log' as const), length: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ what: fc.constant('take' as const) }),
)

it('holds few things, in order, the latest progress among them, and settles everything once', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const queue = createReportQueue(LIMITS)
      const settled: number[] = []
      const taken: { what: string; nth: number }[] = []
      const take = () => {
        const report = queue.take()
        if (report !== undefined) taken.push(report.payload as { what: string; nth: number })
        report?.settle()
        return report !== undefined
      }
      for (const [nth, entry] of steps.entries()) {
        if (entry.what === 'take') {
          take()
          continue
        }
        const report: Report = { functionId: 'f', payload: { what: entry.what, nth }, settle: () => settled.push(nth) }
        if (entry.what === 'progress') queue.putProgress(report)
        else queue.put(report, entry.length)
      }
      const put = (what: string) => steps.flatMap((entry, nth) => (entry.what === what ? [nth] : []))
      const logs = put('log')
      let left = 0
      while (take()) left++
      expect(left).toBeLessThanOrEqual(LIMITS.maxLogs + 1)
      const order = taken.map(({ nth }) => nth)
      expect(order).toEqual([...order].sort((a, b) => a - b))
      expect(order).toEqual(expect.arrayContaining(put('progress').slice(-1)))
      expect(taken.filter(({ what }) => what === 'log').length + queue.takeDropped()).toBe(logs.length)
      expect(settled.sort((a, b) => a - b)).toEqual([...logs, ...put('progress')].sort((a, b) => a - b))
    }),
  )
})
