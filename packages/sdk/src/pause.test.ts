import { expect, it } from 'vitest'
import { within } from './pause.ts'
import { createRecordedLog } from './testing/recorded-log.ts'
import { registerWorker } from './worker/register-worker.ts'

const FOREVER = Number.POSITIVE_INFINITY

it('work is waited for without an end where that is said, and not for a millisecond', async () => {
  let end = () => {}
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  let isOver = false
  const waiting = within(FOREVER, work).then(() => {
    isOver = true
  })
  await within(20, new Promise(() => undefined))
  expect(isOver).toBe(false)
  end()
  await waiting
})

it('so is an engine that is still to come', async () => {
  const worker = registerWorker('ws://127.0.0.1:9', { log: createRecordedLog() })
  const ready = worker.ready({ timeoutMs: FOREVER })
  await within(20, ready)
  await worker.shutdown()
  await expect(ready).rejects.toThrow('The worker was shut down')
})
