import { expect, it } from 'vitest'
import type { DoctorContext } from './context.ts'
import { spansCheck } from './spans-check.ts'

/** What is found on an engine whose observability worker has these settings; undefined where nobody may ask. */
function look(value: object | undefined) {
  const ask = async () => {
    if (value === undefined) throw new Error('forbidden')
    return { id: 'iii-observability', value }
  }
  return spansCheck.run({ ask } as unknown as DoctorContext)
}

it.each([
  [{ enabled: true }, 'ok', 'no spans on disk'],
  [{ trace_storage: { enabled: false, directory: 'd' } }, 'ok', 'no spans on disk'],
  [{ trace_storage: { enabled: true, directory: './data/traces' } }, 'warning', 'in ./data/traces'],
  [{ trace_storage: { enabled: true } }, 'warning', 'in a folder of its own'],
  [undefined, 'skipped', 'does not say'],
])('the doctor says of %j: %s, %s', async (value, verdict, summary) => {
  expect(await look(value)).toMatchObject({ verdict, summary: expect.stringContaining(summary) })
})
