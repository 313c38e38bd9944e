import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepFilesOpen } from './keep-open.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LOCKED = { reason: 'line 1' }

/** What is asked of skills and contents in a second. */
function watch(files: readonly object[], locked: { reason: string } | undefined) {
  const ends: (() => void)[] = []
  const known = vi.fn(() => [{}, { files }] as never)
  const open = vi.fn()
  const worker = { onShutdown: (act: () => void) => void ends.push(act) } as never
  keepFilesOpen({ worker, settings: { locked } as never, skills: { known }, files: { open } })
  vi.advanceTimersByTime(1_000)
  return { known, open, end: () => ends[0]?.() }
}

it('the contents are opened once a skill has files, and not for skills without any', () => {
  expect(watch([{}], undefined).open).toHaveBeenCalled()
  const { known, open, end } = watch([], undefined)
  expect([known.mock.calls.length > 0, open.mock.calls.length]).toEqual([true, 0])
  end()
  known.mockClear()
  vi.advanceTimersByTime(1_000)
  expect(known).not.toHaveBeenCalled()
})

it('nothing is looked at while the settings are locked', () => {
  const { known, open } = watch([{}], LOCKED)
  expect([known.mock.calls.length, open.mock.calls.length]).toEqual([0, 0])
})
