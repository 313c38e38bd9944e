import { expect, it } from 'vitest'
import { registerWorker } from './register-worker.ts'

it.each([
  [{ workerName: 'tea' }, "no option 'workerName' as in iii-sdk: it is 'name' here"],
  [{ workerDescription: 'Makes tea' }, "it is 'description' here"],
  [{ invocationTimeoutMs: 5 }, "it is 'callTimeoutMs' here"],
  [{ nmae: 'tea' }, "registerWorker has 'nmae', which is not read; did you mean 'name'?"],
  [{ name: 'tea', description: {} }, 'registerWorker takes description as a text, not as an object'],
  ['tea', 'registerWorker takes its fields as an object, not as a string'],
  [{ otel: { enabled: false } }, 'there is no OpenTelemetry in here; leave it out'],
])('a worker with an option of iii-sdk is told what it is here: %o', (options, says) => {
  expect(() => registerWorker('ws://127.0.0.1:1', options as object)).toThrow(says)
})
