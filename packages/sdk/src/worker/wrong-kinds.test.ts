import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { createChangeFeed } from '../change-feed/change-feed.ts'
import { createLog } from '../log.ts'
import { announceChange } from '../mcp/announce-change.ts'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { publish } from '../publish/index.ts'
import { startMockStage } from '../testing/mock-stage.ts'

type Loose = (...words: unknown[]) => unknown

async function startWorker() {
  const stage = await startMockStage(() => startMockEngine())
  const worker = await stage.connect({ name: 'tea' })
  return { worker, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

it.each<[unknown, unknown, string]>([
  [registerMcpFunction, 'tea::make', 'registerMcpFunction takes the worker first: (worker, id, handler, options)'],
  [createChangeFeed, { id: 'tea::on-pour' }, 'createChangeFeed takes the worker first: (worker, options)'],
  [publish, { skills: [] }, 'publish takes the worker first: (worker, { skills, prompts })'],
  [announceChange, { kind: 'tools' }, "announceChange takes the worker first: (worker, { kind: 'tools' })"],
])('the worker that was forgotten: %o', (call, first, says) => {
  expect(() => (call as Loose)(first)).toThrow(says)
})

it.each([
  [{ optional: 'yes' }, 'A trigger takes optional as true or false, not as a string'],
  [{ onError: {} }, 'A trigger takes onError as a function, not as an object'],
])('a trigger with %o', async (said, says) => {
  await using stage = await startWorker()
  const trigger = { type: 'cron', function_id: 'tea::make', config: { expression: '@daily' }, ...said }
  expect(() => (stage.worker.registerTrigger as Loose)(trigger)).toThrow(says)
})

it.each([
  [{ lease: 'no' }, 'publish takes lease as true or false, not as a string'],
  [{ unregisterOnShutdown: 1 }, 'publish takes unregisterOnShutdown as true or false, not as a number'],
])('content with %o', async (said, says) => {
  await using stage = await startWorker()
  expect(() => (publish as Loose)(stage.worker, said)).toThrow(says)
})

it.each([
  [undefined, 'undefined'],
  [5, 'a number'],
  [[104, 105], 'a list'],
  [{ cups: 2 }, 'an object; JSON.stringify(…) makes a text of other values'],
])('what is no bytes for a channel: %o', async (given, says) => {
  await using stage = await startWorker()
  const { writer } = await stage.worker.createChannel()
  await expect((writer.write as Loose)(given)).rejects.toThrow(
    `write takes bytes (a Uint8Array) or a text, not ${says}`,
  )
  writer.terminate()
})

it.each([
  [undefined, 'sendMessage takes a text or an object, not undefined'],
  [new Map(), 'The message holds a Map, of which JSON keeps nothing'],
  [{ cups: 2n }, 'The message holds a BigInt at cups'],
])('what is no message for a channel: %o', async (given, says) => {
  await using stage = await startWorker()
  const { writer } = await stage.worker.createChannel()
  await expect((writer.sendMessage as Loose)(given)).rejects.toThrow(says)
  writer.terminate()
})

it.each([
  [undefined, 'createLog takes its fields as an object, not as undefined'],
  ['tea', 'createLog takes its fields as an object, not as a string'],
  [{ name: 5 }, 'createLog takes name as a text, not as a number'],
  [{ name: 'tea', level: 'verbose' }, "createLog takes debug, info, warn, error or silent as level, not 'verbose'"],
  [{ name: 'tea', format: 'yaml' }, "createLog takes text or json as format, not 'yaml'"],
])('createLog(%j)', (options, says) => {
  expect(() => (createLog as Loose)(options)).toThrow(says)
})
