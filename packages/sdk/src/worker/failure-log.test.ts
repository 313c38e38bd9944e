import { Fault } from '@iii/protocol'
import { expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

const Untyped = Fault as unknown as new (...words: string[]) => Fault

it('a fault with a code that there is not arrives with its message alone, and the log tells of it once', async () => {
  await using stage = await startScriptedStage()
  const faults = [new Untyped('notfound', 'No order 7'), new Untyped('No order 8')]
  stage.worker.registerFunction('a::find', () => {
    throw faults.shift()
  })
  const failure = (message: string) => ({ error: { code: 'invocation_failed', message } })
  expect(await invoke(stage.peer, 'a::find', {})).toMatchObject(failure('No order 7'))
  expect(await invoke(stage.peer, 'a::find', {})).toMatchObject(failure('No order 8'))
  expect(stage.log.messages('warn')).toEqual([
    expect.stringMatching(/^a Fault has the code 'notfound', which is none of .*; did you mean 'not_found'\?/),
  ])
})
