import { Fault } from '@iii/protocol'
import { expect, it } from 'vitest'
import { explainFailure, type Failure } from './failure.ts'

const failure = {
  functionId: 'orders::ship',
  deadline: { isOver: () => false, seconds: 30 },
  signal: { aborted: false },
} as Failure

it.each([
  [
    'the engine says it in its words',
    { code: 'invocation_stopped', message: 'stopped' },
    /^orders::ship was interrupted/,
  ],
  [
    'the function says who',
    { code: 'invocation_failed', message: 'The printer left [worker_lost]' },
    /^The printer left$/,
  ],
])('whose worker or server went away is told of it: %s', (_, { code, message }, text) => {
  const error = explainFailure(Object.assign(new Error(message), { code }), failure)
  expect(error).toBeInstanceOf(Fault)
  expect(error).toMatchObject({ code: 'worker_lost', message: expect.stringMatching(text) })
})
