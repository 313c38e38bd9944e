import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InvocationError } from '../engine/invocation-error.ts'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { streamStateRows } from '../state/state-rows.ts'
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
  [{ maxMessageBytes: '1MB' }, 'registerWorker takes maxMessageBytes as a number above zero, not as a string'],
  [
    { timings: { connectTimeoutMs: '4s' } },
    'registerWorker({ timings }) takes connectTimeoutMs as a number of milliseconds above zero, at most 2147483647, not as a string',
  ],
  [{ timings: { pingEveryMs: -5 } }, 'not as -5'],
  [{ timings: { connectTimeoutMs: Number.POSITIVE_INFINITY } }, 'not as Infinity'],
  [
    { watchOwnership: { claimMs: true } },
    'registerWorker({ watchOwnership }) takes claimMs as a number of milliseconds',
  ],
  [{ watchOwnership: 'yes' }, 'registerWorker({ watchOwnership }) takes its fields as an object, not as a string'],
  [{ queue: { messages: 0 } }, 'registerWorker({ queue }) takes messages as a number above zero, not as 0'],
  [
    { timings: { pingEvryMs: 5 } },
    "registerWorker({ timings }) has 'pingEvryMs', which is not read; did you mean 'pingEveryMs'?",
  ],
  [{ watchOwnership: { claimsMs: 5 } }, "did you mean 'claimMs'?"],
  [{ queue: { message: 3 } }, "did you mean 'messages'?"],
  [{ log: false }, "createLog({ name, level: 'silent' }) is one that says nothing"],
  [{ log: { warn: greet } }, 'registerWorker takes a logger as log, such as createLog makes'],
  [{ reattach: './former.json' }, 'takes a store as reattach, an object with read, write and forget'],
  [{ defers: 'no' }, 'registerWorker takes defers as true or false, not as a string'],
  [{ followsTraces: 0 }, 'registerWorker takes followsTraces as true or false, not as a number'],
  [
    { headers: 'Bearer x' },
    "registerWorker takes headers as an object, such as { authorization: 'Bearer …' }; Object.fromEntries makes one of",
  ],
  [{ headers: new Headers({ authorization: 'x' }) }, 'registerWorker takes headers as an object'],
  [{ headers: new Map([['authorization', 'x']]) }, 'registerWorker takes headers as an object'],
  [
    { headers: { authorization: undefined } },
    "The header 'authorization' of registerWorker must be a text, not undefined; leave it out where there is none",
  ],
  [{ headers: { authorization: ['x'] } }, 'must be a text, not a list'],
  [
    { headers: { authorization: 'Bearer x\n' } },
    "The header 'authorization' of registerWorker has a character that HTTP cannot carry; trim() takes a line break",
  ],
  [{ headers: { 'my header': 'x' } }, "'my header' is no name of a header"],
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
    [{ trace: { traceparent: 5 } }, 'The trace of the call of tea::make takes traceparent as a text, not as a number'],
    [{ trace: '00-1-2-01' }, 'The trace of the call of tea::make takes its fields as an object, not as a string'],
    [{ payload: { cups: [1n] } }, 'The payload of tea::make holds a BigInt at cups[0], which JSON does not have'],
  ])('a call with %o', async (said, says) => {
    await using stage = await startWorker()
    await expect(stage.worker.trigger({ function_id: 'tea::make', ...said } as never)).rejects.toThrow(says)
  })

  it.each([
    [[], "as one object, not as undefined: trigger({ function_id: 'orders::create', payload: { … } })"],
    [[null], 'as one object, not as null: '],
    [
      ['tea::make', { cups: 2 }],
      "as one object, not as a string: trigger({ function_id: 'tea::make', payload: { … } })",
    ],
    [[['tea::make']], 'as one object, not as a list: '],
  ])('a call with the words %j', async (words, says) => {
    await using stage = await startWorker()
    await expect((stage.worker.trigger as Loose)(...words)).rejects.toThrow(`A call takes its fields ${says}`)
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
    ['ready', [5_000], 'ready({ timeoutMs }) takes its fields as an object, not as a number'],
    ['ready', [{ timeout: 5_000 }], "ready({ timeoutMs }) has 'timeout', which is not read; did you mean 'timeoutMs'?"],
    ['ready', [{ timeoutMs: '5s' }], 'ready takes timeoutMs as a number of milliseconds, not as a string'],
    ['createChannel', ['64'], 'createChannel takes how many items the engine keeps, from 1 to 1024, not a string'],
    ['createChannel', [0], 'from 1 to 1024, not 0'],
    ['onShutdown', ['close'], 'onShutdown takes a function, not a string'],
    ['onStateChange', [{}], 'onStateChange takes a function, not an object'],
    ['onOwnershipChange', [undefined], 'onOwnershipChange takes a function, not undefined'],
  ] as const)('%s(%j)', async (method, words, says) => {
    await using stage = await startWorker()
    const call = async () => (stage.worker[method] as Loose)(...words)
    await expect(call()).rejects.toThrow(says)
  })

  it.each([
    [5, 'readAll({ maxBytes }) takes its fields as an object, not as a number'],
    [{ maxBytes: '5' }, 'readAll takes maxBytes as a number above zero, not as a string'],
    [{ maxBytes: Number.NaN }, 'readAll takes maxBytes as a number above zero, not as NaN'],
  ])('readAll(%j)', async (options, says) => {
    await using stage = await startWorker()
    const { reader, writer } = await stage.worker.createChannel()
    await expect((reader.readAll as Loose)(options)).rejects.toThrow(says)
    writer.terminate()
  })

  it('rows of a scope that are asked for with a number', async () => {
    const rows = (streamStateRows as Loose)('ws://127.0.0.1:1', 'cups', 5) as AsyncIterator<unknown>
    await expect(rows.next()).rejects.toThrow('streamStateRows takes its fields as an object, not as a number')
  })

  it('what is registered after the shutdown, as a call then; not before, while there is somebody to hear of it', async () => {
    await using stage = await startWorker()
    const { worker } = stage
    worker.onShutdown(() => void worker.registerFunction('tea::leave', greet))
    const gone = worker.registerFunction('tea::greet', greet)
    await worker.shutdown()
    expect(worker.functionIds).toEqual(['tea::greet', 'tea::leave'])
    await expect(worker.trigger({ function_id: 'tea::greet' })).rejects.toMatchObject({ code: 'closed' })
    const late = (what: string) => `This worker was shut down; ${what} any more`
    expect(() => worker.registerFunction('tea::make', greet)).toThrow(late('tea::make cannot be registered'))
    expect(() => loose(worker).registerFunction({ id: 'tea::make' }, greet)).toThrow(InvocationError)
    const cron = { type: 'cron', function_id: 'tea::make', config: { expression: '@daily' } }
    expect(() => worker.registerTrigger(cron)).toThrow(late('tea::make cannot be bound to a trigger'))
    expect(() => loose(worker).registerTriggerType({ id: 'tea::on-pour' }, handler)).toThrow(
      late('tea::on-pour cannot be provided'),
    )
    expect(() => gone.replace(greet)).toThrow(late('tea::greet cannot be replaced'))
    gone.unregister()
    gone.refresh()
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
