import { Fault } from '@iii/protocol'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

const refuse = () => {
  throw new Fault('forbidden', 'The shop is closed')
}

it.each([
  ['at once', refuse],
  ['later', async () => refuse()],
])(
  'a guard that refuses %s is asked before the payload is looked at, and the handler is not called',
  async (_, guard) => {
    await using stage = await startScriptedStage()
    const handler = vi.fn()
    stage.worker.registerFunction('shop::buy', handler, { request_format: z.object({ id: z.string() }), guard })
    const { error } = await invoke(stage.peer, 'shop::buy', {})
    expect(error?.message).toBe('The shop is closed [forbidden]')
    expect(handler).not.toHaveBeenCalled()
  },
)

it('a guard that takes its time lets the call through', async () => {
  await using stage = await startScriptedStage()
  stage.worker.registerFunction('shop::buy', ({ id }) => id, {
    request_format: z.object({ id: z.string() }),
    guard: async () => undefined,
  })
  expect((await invoke(stage.peer, 'shop::buy', { id: 'tea' })).result).toBe('tea')
  expect((await invoke(stage.peer, 'shop::buy', {})).error?.message).toContain('id: must be a string')
})
