import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { followConfigFile } from './config-file.ts'

const LOOK_MS = 1_000
const SETTLE_MS = 100

const folder = mkdtempSync(join(tmpdir(), 'iii-config-file-'))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

it('a file that goes on changing while it rests is not read before it has rested', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const path = join(folder, 'worker.yaml')
  const texts: string[] = []
  const write = (text: string) => writeFileSync(path, text)
  /** What is asked of the disk is answered in its own time: the next rest, or what is loaded, says that it was. */
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await turn()
  }
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const hasRested = (times: number) => timers.mock.calls.filter(([, ms]) => ms === SETTLE_MS).length === times

  write('whole')
  const stop = followConfigFile(path, LOOK_MS, () => texts.push(readFileSync(path, 'utf8')))
  write('half')
  vi.advanceTimersByTime(LOOK_MS)
  await until(() => hasRested(1))
  write('half of it')
  vi.advanceTimersByTime(SETTLE_MS)
  await until(() => hasRested(2) || texts.length > 1)
  write('all of it anew')
  vi.advanceTimersByTime(SETTLE_MS)
  await until(() => hasRested(3) || texts.length > 1)
  expect(texts).toEqual(['whole'])
  vi.advanceTimersByTime(SETTLE_MS)
  await until(() => texts.length > 1)
  expect(texts).toEqual(['whole', 'all of it anew'])
  stop()
})
