import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { createStateScope } from '../state/state-scope.ts'
import { startMockStage } from '../testing/mock-stage.ts'
import { registerWorker } from './register-worker.ts'
import type { Worker } from './worker.ts'

type Loose = (...words: unknown[]) => unknown

/** What people hand over in plain JavaScript, where no compiler looks. */
const loose = (worker: Worker) => worker as unknown as Record<'registerFunction' | 'registerTriggerType', Loose>

const greet = () => 'Hello'
const handler = { registerTrigger: greet, unregisterTrigger: greet }

it.each([
  [{ callTimeoutMs: '5000' }, 'registerWorker takes callTimeoutMs as a number of milliseconds, not as a string'],
  [{ callTimeoutMs: Number.NaN }, 'not as NaN'],
  [{ naming: 'last' }, "registerWorker takes 'first', 'own' or 'exact' as naming, not 'last'"],
  [{ log: false }, "createLog({ name, level: 'silent' }) is one that says nothing"],
])('registerWorker(url, %j)', (options, says) => {
  expect(() => registerWorker('ws://127.0.0.1:1', options as object)).toThrow(says)
})

describe('on a worker', () => {
  async function startWorker() {
    const stage = await startMockStage(() => startMockEngine())
    const worker = await stage.connect({ name: 'tea' })
    return { worker, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
  }

  it.each([
    [{ timeoutMs: '5s' }, 'The call of tea::make takes timeoutMs as a number of milliseconds, not as a string'],
    [{ timeoutMs: Number.NaN }, 'not as NaN'],
    [{ timeoutMs: 5n }, 'not as a bigint'],
    [{ signal: new AbortController() }, 'The signal of the call of tea::make is none; hand on controller.signal'],
    [{ payload: { cups: [1n] } }, 'The payload of tea::make holds a BigInt at cups[0], which JSON does not have'],
  ])('a call with %o', async (said, says) => {
    await using stage = await startWorker()
    await expect(stage.worker.trigger({ function_id: 'tea::make', ...said } as never)).rejects.toThrow(says)
  })

  it('a call without a signal may say null, and one without a deadline Infinity', async () => {
    await using stage = await startWorker()
    stage.worker.registerFunction('tea::greet', greet)
    const call = { function_id: 'tea::greet', signal: null, timeoutMs: Number.POSITIVE_INFINITY }
    expect(await stage.worker.trigger(call as never)).toBe('Hello')
  })

  it.each([
    [{ timeout: 5 }, "did you mean 'mcp: { timeout_ms }'?"],
    [{ readOnlyHint: true }, "did you mean 'mcp: { annotations: { readOnlyHint } }'?"],
    [{ hidden: true }, "did you mean 'mcp: { expose: false }'?"],
    [{ metadata: [] }, "The field metadata of the function 'tea::make' must be an object, such as { 'mcp.title': "],
    [
      { unknownKeys: 'drop' },
      "The field unknownKeys of the function 'tea::make' must be 'refuse' or 'ignore', not 'drop'",
    ],
    [{ maxBytes: '1000' }, "must be a number of bytes above zero, such as 1_000_000, not '1000'"],
    [{ maxBytes: Number.NaN }, 'above zero, such as 1_000_000, not NaN'],
    [{ maxBytes: 0 }, 'above zero, such as 1_000_000, not 0'],
    [{ onTooLarge: { status_code: 413 } }, 'The field onTooLarge of the function'],
    [{ guard: true }, "The field guard of the function 'tea::make' must be a function that throws"],
    [{ shared: 'false' }, "The field shared of the function 'tea::make' must be true or false, not 'false'"],
  ])('a function with %o', async (options, says) => {
    await using stage = await startWorker()
    expect(() => loose(stage.worker).registerFunction('tea::make', greet, options)).toThrow(says)
    expect(() => registerMcpFunction(stage.worker, 'tea::make', greet, options as object)).toThrow(says)
    const registration = stage.worker.registerFunction('tea::make', greet)
    expect(() => registration.replace(greet, options as object)).toThrow(says)
  })

  it('a function may say null for each option that it does not have', async () => {
    await using stage = await startWorker()
    const options = ['request_format', 'response_format', 'unknownKeys', 'maxBytes', 'onTooLarge', 'guard', 'shared']
    loose(stage.worker).registerFunction('tea::make', greet, Object.fromEntries(options.map((name) => [name, null])))
    expect(await stage.worker.trigger({ function_id: 'tea::make' })).toBe('Hello')
  })

  it.each([
    [[{}, handler], "A trigger type needs an id, for example 'orders::on-change'"],
    [[{ id: 'tea::on-pour', descripton: 'x' }, handler], "did you mean 'description'?"],
    [
      [{ id: 'tea::on-pour' }],
      "The trigger type 'tea::on-pour' has no handler: registerTriggerType(type, { registerTrigger",
    ],
    [[{ id: 'tea::on-pour' }, { registerTrigger: greet }], 'has no handler'],
    [
      [{ id: 'tea::on-pour', call_request_format: { cups: 'number' } }, handler],
      "The call_request_format of the trigger type 'tea::on-pour' is no JSON Schema",
    ],
  ])('a trigger type %o', async (words, says) => {
    await using stage = await startWorker()
    expect(() => loose(stage.worker).registerTriggerType(...words)).toThrow(says)
  })

  it.each([
    [{ ask: false }, "The function 'tea::make' has 'ask', which is not read; did you mean 'asks'?"],
    [{ asks: 'no' }, "The field asks of the function 'tea::make' must be true or false, not a string"],
  ])('a function that speaks MCP with %o', async (options, says) => {
    await using stage = await startWorker()
    expect(() => registerMcpFunction(stage.worker, 'tea::make', greet, options as object)).toThrow(says)
  })

  it('a question with a mistyped option', async () => {
    await using stage = await startWorker()
    registerMcpFunction(stage.worker, 'tea::make', (_input, { ask }) =>
      ask.form('Which?', z.object({ kind: z.string() }), { defaults: { kind: 'green' } } as object),
    )
    const asked = stage.worker.trigger({ function_id: 'tea::make' })
    await expect(asked).rejects.toThrow(
      `the question "Which?" has 'defaults', which is not read; did you mean 'default'?`,
    )
  })

  it.each([
    [[undefined, 'cups'], "createStateScope takes the worker and the name of a scope: (worker, 'orders', options)"],
    [[{ trigger: greet }, ''], 'createStateScope takes the worker and the name of a scope'],
    [
      [{ trigger: greet }, 'cups', { shema: z.string() }],
      "The scope 'cups' has 'shema', which is not read; did you mean",
    ],
    [[{ trigger: greet }, 'cups', { schema: { type: 'object' } }], "The scope 'cups' takes a zod type as schema"],
    [[{ trigger: greet }, 'cups', { timeoutMs: '5' }], "The scope 'cups' takes timeoutMs as a number of milliseconds"],
  ])('a scope of %o', (words, says) => {
    expect(() => (createStateScope as Loose)(...words)).toThrow(says)
  })

  it.each([
    [[undefined], "inTurn('Ada') takes the work as a function: inTurn(key, async () => …)"],
    [[greet, { turnMs: '10' }], 'turnMs is no number; it must be more than 0 and at most 600000'],
    [[greet, { waitMs: '10' }], "inTurn('Ada') takes waitMs as a number of milliseconds, not as a string"],
    [[greet, { wait: 10 }], "inTurn('Ada') has 'wait', which is not read; did you mean 'waitMs'?"],
  ])('a turn with %o', async (words, says) => {
    const { inTurn } = createStateScope({ trigger: greet as never }, 'cups')
    await expect((inTurn as Loose)('Ada', ...words)).rejects.toThrow(says)
  })
})
