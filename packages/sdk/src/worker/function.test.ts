import { Fault } from '@iii/protocol'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import type { Call } from '../engine/call.ts'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

describe('registering a function', () => {
  it('says id, description, schemas and the metadata as given plus who registered it', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction({ id: 'orders::create' }, () => ({ id: 'o-1' }), {
      description: 'Creates an order',
      request_format: z.object({ amount: z.number(), currency: z.string().default('EUR') }),
      response_format: z.object({ id: z.string().default('x') }),
      metadata: { 'mcp.expose': true },
    })
    const { request_format, response_format, ...rest } = await stage.peer.next('registerfunction')
    expect(rest).toEqual({
      type: 'registerfunction',
      id: 'orders::create',
      description: 'Creates an order',
      metadata: { 'mcp.expose': true, 'iii.instance': stage.worker.instance },
    })
    expect(request_format).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { amount: { type: 'number' }, currency: { type: 'string', default: 'EUR' } },
      required: ['amount'],
      additionalProperties: false,
    })
    expect(response_format).toMatchObject({ required: ['id'] })
  })

  it.each([
    [
      { requestFormat: z.object({}) },
      "The function 'a::b' has 'requestFormat', which is not read; did you mean 'request_format'?",
    ],
    [{ descripton: 'x' }, "did you mean 'description'?"],
  ])('refuses an option that was mistyped: %o', async (options, says) => {
    await using stage = await startScriptedStage()
    expect(() => stage.worker.registerFunction('a::b', () => 'x', options as object)).toThrow(says)
    expect(() => registerMcpFunction(stage.worker, 'a::b', () => 'x', options as object)).toThrow(says)
  })

  it('refuses what is no schema', async () => {
    await using stage = await startScriptedStage()
    for (const request_format of ['x', 5, []] as never[]) {
      expect(() => stage.worker.registerFunction('a::b', () => 1, { request_format })).toThrow(
        "The request_format of the function 'a::b' must be a zod type or a JSON Schema, an object",
      )
    }
  })

  it.each([
    [
      { request_format: { name: z.string() } },
      "request_format of the function 'a::b' is an object that has zod types, and no zod type: write z.object(…) around it",
    ],
    [{ response_format: { name: z3.string() } }, 'write z.object(…) around it'],
    [{ request_format: { type: 'object', properties: { name: z.string() } } }, 'write z.object(…) around it'],
    [
      { request_format: z.object({ since: z.date() }) },
      "The request_format of the function 'a::b' asks for a Date at since, which no JSON is: z.iso.datetime() takes its text",
    ],
    [{ description: 5 }, "The field description of the function 'a::b' must be a text, not 5"],
    [{ mcp: true }, "The field mcp of the function 'a::b' must be an object"],
    [{ metadata: 'x' }, "The field metadata of the function 'a::b' must be an object"],
    ['Greets', "The function 'a::b' takes its fields as an object, not as a string"],
  ])('refuses options that would be passed over, or the function with them: %o', async (options, says) => {
    await using stage = await startScriptedStage()
    expect(() => stage.worker.registerFunction('a::b', () => 1, options as object)).toThrow(says)
    expect(() => registerMcpFunction(stage.worker, 'a::b', () => 1, options as object)).toThrow(says)
  })

  it('refuses what is no handler', async () => {
    await using stage = await startScriptedStage()
    const says =
      "The function 'a::b' has no handler: registerFunction(id, handler, options) was given object in its place"
    expect(() => stage.worker.registerFunction('a::b', { description: 'x' } as never)).toThrow(says)
    expect(() => registerMcpFunction(stage.worker, 'a::b', {} as never)).toThrow(says)
  })

  it('writes the schema of a zod 3 type with its fields', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('orders::create', () => 'o-1', {
      request_format: z3.object({ amount: z3.number().min(1), note: z3.string().optional() }),
      response_format: z3.string(),
    })
    expect(await stage.peer.next('registerfunction')).toMatchObject({
      request_format: {
        type: 'object',
        properties: { amount: { type: 'number', minimum: 1 }, note: { type: 'string' } },
        required: ['amount'],
      },
      response_format: { type: 'string' },
    })
  })

  it('passes a JSON Schema on as it is', async () => {
    await using stage = await startScriptedStage()
    const schema = { type: 'object', 'x-anything': [1] }
    stage.worker.registerFunction('a::b', (payload) => payload, { request_format: schema })
    const frame = await stage.peer.next('registerfunction')
    expect(frame).toMatchObject({ description: '', request_format: schema })
    expect(frame).not.toHaveProperty('response_format')
    expect(await invoke(stage.peer, 'a::b', { anything: 'goes' })).toMatchObject({ result: { anything: 'goes' } })
  })

  it('refuses an id twice until the first is taken back, and what cannot be sent', async () => {
    await using stage = await startScriptedStage()
    const { worker, peer } = stage
    const first = worker.registerFunction('a::b', () => 1)
    expect(() => worker.registerFunction('a::b', () => 2)).toThrow(Fault)
    for (const id of ['', 5, undefined] as string[]) {
      expect(() => worker.registerFunction(id, () => 2)).toThrow(/needs an id/)
    }
    expect(() => worker.registerFunction('a::c', () => 2, { metadata: { n: 1n } })).toThrow(
      'holds a BigInt at metadata.n',
    )
    expect(worker.functionIds).toEqual(['a::b'])
    first.unregister()
    first.unregister()
    worker.registerFunction('a::b', () => 2).refresh()
    expect(await peer.next('unregisterfunction')).toEqual({ type: 'unregisterfunction', id: 'a::b' })
    expect(await invoke(peer, 'a::b', {})).toMatchObject({ result: 2 })
    expect(peer.frames.filter(({ type }) => type === 'registerfunction')).toHaveLength(3)
    expect(peer.frames.filter(({ type }) => type === 'unregisterfunction')).toHaveLength(1)
  })
})

describe('a payload', () => {
  it.each([
    ['zod 4', z.object({ amount: z.number(), items: z.array(z.object({ name: z.string() })).default([]) })],
    ['zod 3', z3.object({ amount: z3.number(), items: z3.array(z3.object({ name: z3.string() })).default([]) })],
  ])('that does not fit its %s schema is refused with field and rule', async (_, schema) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', (payload) => payload, { request_format: schema as z.ZodType })
    const message = async (data: unknown) => (await invoke(stage.peer, 'a::b', data)).error?.message
    expect(await message({ amount: 'x' })).toBe('amount: must be a number, not a string [invalid_input]')
    expect(await message({ amount: 1, items: [{ name: 'a' }, { name: 5 }] })).toBe(
      'items[1].name: must be a string, not a number [invalid_input]',
    )
    expect(await message('text')).toBe('payload: must be an object, not a string [invalid_input]')
    expect(await invoke(stage.peer, 'a::b', { amount: 2 })).toMatchObject({ result: { amount: 2, items: [] } })
  })

  it.each([
    ['zod 4', z.object({ order_id: z.string(), since: z.string().optional() })],
    ['a strict one', z.strictObject({ order_id: z.string(), since: z.string().optional() })],
    ['zod 3', z3.object({ order_id: z3.string(), since: z3.string().optional() })],
  ])('with keys that its schema (%s) does not have is refused, in one text with what is missing', async (_, schema) => {
    await using stage = await startScriptedStage()
    let handled = 0
    stage.worker.registerFunction('a::b', () => ++handled, { request_format: schema as z.ZodType })
    const { error } = await invoke(stage.peer, 'a::b', { month: '2026-11', sinse: 'x' })
    expect(error?.message).toMatch(
      /^order_id: (is required|must be a string, but it is missing); month: is unknown; sinse: is unknown \(did you mean since\?\); it takes order_id, since \[invalid_input\]$/,
    )
    expect((await invoke(stage.peer, 'a::b', { order_id: 'o-1', month: 1 })).error?.message).toBe(
      'month: is unknown; it takes order_id, since [invalid_input]',
    )
    expect(handled).toBe(0)
    expect(await invoke(stage.peer, 'a::b', { order_id: 'o-1', _caller_worker_id: 'w' })).toMatchObject({ result: 1 })
  })

  it('may have any keys where its schema is loose, and loses them where they are ignored', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::loose', (payload) => payload, { request_format: z.looseObject({}) })
    stage.worker.registerFunction('a::lenient', (payload) => payload, {
      request_format: z.object({ a: z.number() }),
      unknownKeys: 'ignore',
    })
    expect(await invoke(stage.peer, 'a::loose', { month: 1 })).toMatchObject({ result: { month: 1 } })
    expect((await invoke(stage.peer, 'a::lenient', { a: 1, month: 1 })).result).toEqual({ a: 1 })
    const [, lenient] = stage.peer.frames.filter(({ type }) => type === 'registerfunction')
    expect(lenient?.['request_format']).not.toHaveProperty('additionalProperties')
  })

  it('is told everything that is wrong with it, up to a point', async () => {
    await using stage = await startScriptedStage()
    const fields = Object.fromEntries('abcdefg'.split('').map((key) => [key, z.number()]))
    stage.worker.registerFunction('a::b', () => null, { request_format: z.object(fields) })
    const { error } = await invoke(stage.peer, 'a::b', {})
    expect(error?.message).toMatch(
      /^a: must be a number, but it is missing; b: .*; e: [^;]*; and 2 more \[invalid_input\]$/,
    )
  })

  it('may be checked asynchronously', async () => {
    await using stage = await startScriptedStage()
    const known = z.object({ id: z.string().refine(async (id) => id !== 'gone', 'no such order') })
    stage.worker.registerFunction('a::b', ({ id }) => id, { request_format: known })
    expect(await invoke(stage.peer, 'a::b', { id: 'here' })).toMatchObject({ result: 'here' })
    expect(await invoke(stage.peer, 'a::b', { id: 'gone' })).toMatchObject({
      error: { code: 'invocation_failed', message: 'id: no such order [invalid_input]' },
    })
  })

  it.each([
    ['zod 4', (check: () => Promise<boolean>) => z.object({ id: z.string().refine(check) })],
    ['zod 3', (check: () => Promise<boolean>) => z3.object({ id: z3.string().refine(check) })],
  ])('fails the one call whose asynchronous check of %s fails, also the first', async (_zod, toSchema) => {
    await using stage = await startScriptedStage()
    const known = toSchema(() => Promise.reject(new Error('the database is away')))
    stage.worker.registerFunction('a::b', () => 'never', { request_format: known })
    expect(await invoke(stage.peer, 'a::b', { id: 'here' })).toMatchObject({ error: { code: 'invocation_failed' } })
    // A rejection that nobody waits for ends a process, and a test, once the tick is over.
    await new Promise(setImmediate)
  })

  it('has a type that follows from its schema', () => {
    type Register = Awaited<ReturnType<typeof startScriptedStage>>['worker']['registerFunction']
    const check = (register: Register) => {
      register('a', (payload) => expectTypeOf(payload).toEqualTypeOf<{ n: number }>(), {
        request_format: z.object({ n: z.number().default(1) }),
      })
      register('a', (payload) => expectTypeOf(payload).toEqualTypeOf<{ n: number }>(), {
        request_format: z3.object({ n: z3.number().default(1) }),
      })
      register('a', (payload) => expectTypeOf(payload).toBeUnknown(), { request_format: { type: 'object' } })
      register('a', (payload: { n: string }, _metadata, call) => {
        expectTypeOf(call).toEqualTypeOf<Call>()
        return payload.n
      })
      // @ts-expect-error the result does not fit the response schema
      register('a', () => 5, { request_format: z.object({}), response_format: z.string() })
    }
    expect(check).toBeTypeOf('function')
  })
})

describe('a payload over maxBytes', () => {
  it('is not read: onTooLarge makes the result', async () => {
    await using stage = await startScriptedStage()
    let handled = 0
    stage.worker.registerFunction('a::small', () => ++handled, {
      maxBytes: 1000,
      onTooLarge: ({ bytes, limit }) => ({ status_code: 413, bytes, limit }),
    })
    stage.worker.registerFunction('a::any', (payload: string) => payload.length)
    const broken = `{"type":"invokefunction","invocation_id":"${crypto.randomUUID()}","function_id":"a::small","data":{"x":"`
    stage.peer.send(broken + 'x'.repeat(2000))
    expect(await stage.peer.next('invocationresult')).toMatchObject({
      invocation_id: broken.split('"')[7],
      function_id: 'a::small',
      result: { status_code: 413, bytes: broken.length + 2000, limit: 1000 },
    })
    expect(handled).toBe(0)
    expect(await invoke(stage.peer, 'a::any', 'x'.repeat(2000))).toMatchObject({ result: 2000 })
    expect(await invoke(stage.peer, 'a::small', {})).toMatchObject({ result: 1 })
  })

  it('is answered with too_large when nothing else is said', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::small', () => 'handled', { maxBytes: 500 })
    const { error } = await invoke(stage.peer, 'a::small', 'x'.repeat(2000))
    expect(error?.message).toMatch(/^The message for a::small has 2\d\d\d bytes; it takes at most 500 \[too_large\]$/)
  })
})
