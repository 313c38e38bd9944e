import { describe, expect, it } from 'vitest'
import { type Check, ok, runChecks } from './check.ts'

describe('checks', () => {
  it('go on when one hangs and one fails, each with a deadline of its own', async () => {
    const never = new Promise<never>(() => undefined)
    const checks: Check<object>[] = [
      { name: 'hangs', run: () => never },
      { name: 'fails', run: () => Promise.reject(new Error('broken')) },
      { name: 'works', run: async () => ok('fine') },
    ]
    const results = await runChecks(checks, {}, 50, (error) => (error as Error).message)
    expect(results).toEqual([
      { check: 'hangs', verdict: 'problem', summary: 'nothing came back within 0.05 s', advice: [expect.any(String)] },
      { check: 'fails', verdict: 'problem', summary: 'broken', advice: [] },
      { check: 'works', verdict: 'ok', summary: 'fine', advice: [] },
    ])
  })
})
