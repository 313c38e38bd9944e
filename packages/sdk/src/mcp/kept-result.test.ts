import { expect, it, vi } from 'vitest'
import { startScriptedStage } from '../testing/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { keepResult } from './kept-result.ts'
import { registerMcpFunction } from './register-mcp-function.ts'

/** A worker whose calls end as is said, each with the state of its connection at that moment. */
function startWorker(...ends: (Worker['state'] | 'written')[]) {
  const warn = vi.fn()
  const worker = {
    state: 'connected' as Worker['state'],
    log: { warn } as unknown as Worker['log'],
    onStateChange: () => () => undefined,
    trigger: vi.fn(() => {
      const end = ends.shift() ?? 'connecting'
      if (end === 'written') return Promise.resolve({ new_value: null })
      worker.state = end
      return Promise.reject(new Error('no answer'))
    }),
  }
  const keep = () => keepResult(worker as unknown as Worker, { id: 't1', scope: 'mcp-tasks' }, { value: 42 })
  return { trigger: worker.trigger, warn, keep }
}

it('the result of a task is written again when the engine went away meanwhile', async () => {
  const { trigger, warn, keep } = startWorker('connecting', 'connecting', 'written')
  await keep()
  expect([trigger.mock.calls.length, warn.mock.calls.length]).toEqual([3, 0])
  const payload = expect.objectContaining({ key: 't1', value: { value: 42 } }) as object
  expect(trigger.mock.lastCall).toEqual([expect.objectContaining({ function_id: 'state::set', payload })])
})

it.each(['connected', 'closed'] as const)(
  'a result that an engine does not take is not tried again (%s)',
  async (state) => {
    const { trigger, warn, keep } = startWorker(state)
    await keep()
    expect([trigger.mock.calls.length, warn.mock.calls.length]).toEqual([1, 1])
  },
)

it('an engine that stays away is given up', async () => {
  const { trigger, warn, keep } = startWorker()
  await keep()
  expect([trigger.mock.calls.length, warn.mock.calls.length]).toEqual([12, 1])
})

const task = { id: 't1', scope: 'mcp-tasks' }
const isWrite = ({ function_id: id }: Record<string, unknown>) => id === 'state::set'

/** A function that is called as a task, up to where it writes what came of it. */
async function startTask() {
  const stage = await startScriptedStage()
  registerMcpFunction(stage.worker, 'jobs::one', () => ({ rows: 7 }), { mcp: { task: 'optional' } })
  const call = { type: 'invokefunction', invocation_id: crypto.randomUUID(), function_id: 'jobs::one', data: {} }
  stage.peer.send({ ...call, metadata: { mcp: { call_id: crypto.randomUUID(), via: 'mcp::one', task } } })
  return { stage, call, written: await stage.peer.next('invokefunction', isWrite) }
}

async function expectWriteOnNext({ engine }: Awaited<ReturnType<typeof startScriptedStage>>): Promise<void> {
  const { data } = await (await engine.nextPeer()).next('invokefunction', isWrite)
  expect(data).toMatchObject({ scope: task.scope, key: task.id, value: { value: { rows: 7 } } })
}

it('what was being written when the connection was cut is said on the next one', async () => {
  const { stage } = await startTask()
  await using _ = stage
  stage.peer.cut()
  await expectWriteOnNext(stage)
})

it('what was written just before the connection was cut is said once more, since the engine may have forgotten it', async () => {
  const { stage, call, written } = await startTask()
  await using _ = stage
  const { invocation_id, function_id } = written
  stage.peer.send({ type: 'invocationresult', invocation_id, function_id, result: { new_value: null } })
  await stage.peer.next('invocationresult', ({ invocation_id: id }) => id === call.invocation_id)
  stage.peer.cut()
  await expectWriteOnNext(stage)
})
