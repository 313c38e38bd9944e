import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startStdioBridge } from '../testing/stdio-bridge.ts'
import { untilAnswer } from '../testing/until.ts'
import { explainFailure, type Failure } from './failure.ts'

const SILENT = createLog({ name: 'other', level: 'silent' })

const failure = {
  functionId: 'orders::ship',
  deadline: { isOver: () => false, seconds: 30 },
  signal: { aborted: false },
} as Failure

describe('a call that is interrupted', () => {
  it.each([
    ['engine', 'the connection to the engine was lost'],
    ['worker', 'its worker went away'],
  ])('by the end of the %s says so', async (what, reason) => {
    await using engine = await startMockEngine()
    await using other = registerWorker(engine.url, { name: 'other', log: SILENT })
    let isCalled = false
    other.registerFunction('jobs::hang', () => {
      isCalled = true
      return new Promise(() => undefined)
    })
    await other.ready()
    await using client = startStdioBridge(engine.url)
    await client.open()
    client.send({ id: 1, method: 'tools/call', params: { name: 'jobs__hang' } })
    await untilAnswer(
      () => isCalled,
      (called) => called,
    )
    await (what === 'engine' ? engine.close() : other.shutdown())
    const { result } = await client.find(({ id }) => id === 1)
    const text = `Error: jobs::hang was interrupted, because ${reason}. The outcome is unknown. It was not called again.`
    expect(result).toEqual({ content: [{ type: 'text', text }], isError: true })
  })

  it('keeps the words of a function that says who went away', () => {
    const error = new Error('The printer left [worker_lost]')
    const told = explainFailure(Object.assign(error, { code: 'invocation_failed' }), failure)
    expect(told).toBeInstanceOf(Fault)
    expect(told).toMatchObject({ code: 'worker_lost', message: 'The printer left' })
  })
})
