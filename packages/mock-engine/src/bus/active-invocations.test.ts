import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'
import { connectRaw } from '../testing/raw-worker.ts'

// Measured on 0.22.1 and 0.23.0-rc.4.
it('a call counts for its callee until that one has answered, whoever else has, and whether or not somebody waits', async () => {
  await using engine = await startMockEngine()
  using callee = await connectRaw(engine.url, 'callee')
  using stranger = await connectRaw(engine.url, 'stranger')
  callee.send({ type: 'registerfunction', id: 'ac::held' })
  await callee.sync()
  const active = async () => {
    const { workers } = await engine.call<{ workers: { name: string; active_invocations: number }[] }>(
      'engine::workers::list',
    )
    return workers.find(({ name }) => name === 'callee')?.active_invocations
  }
  const held = async (caller: typeof stranger) => {
    const seen = callee.frames.length
    void caller.call('ac::held')
    const { invocation_id, function_id } = await callee.frame(
      (frame) => frame.type === 'invokefunction' && callee.frames.indexOf(frame) >= seen,
    )
    return { type: 'invocationresult', invocation_id, function_id, result: 1 }
  }

  const answer = await held(stranger)
  stranger.send(answer)
  await stranger.sync()
  expect(await active()).toBe(1)
  callee.send(answer)
  await callee.sync()
  expect(await active()).toBe(0)

  const gone = await connectRaw(engine.url, 'gone')
  const late = await held(gone)
  gone.socket.terminate()
  await gone.closed
  await stranger.sync()
  expect(await active()).toBe(1)
  callee.send(late)
  await callee.sync()
  expect(await active()).toBe(0)
})
