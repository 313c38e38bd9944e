import { type ClientCallOptions, callAsClient, startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { startMockStage } from '../testing/mock-stage.ts'
import type { McpContext } from './mcp-context.ts'
import { type McpFunctionOptions, registerMcpFunction } from './register-mcp-function.ts'

const Tea = z.object({ kind: z.enum(['green', 'black']), sugar: z.int().default(0) })
const MakeTea = z.object({ cups: z.int().default(2) })
const Made = z.object({ made: z.int(), kind: z.string().optional() })
const makeTea = { id: 'tea::make', request_format: MakeTea, response_format: Made } as const

type Handle = (input: z.output<typeof MakeTea>, mcp: McpContext) => unknown

const brew: Handle = async ({ cups }, { ask, log, progress }) => {
  const answer = await ask.form(`Which tea for ${cups}?`, Tea)
  if (answer.action !== 'accept') return { made: 0 }
  for (let cup = 1; cup <= cups; cup++) await progress(cup, cups)
  await log('info', 'The kettle is empty')
  return { made: cups, kind: answer.content.kind }
}

async function startTea(handle: Handle, engine?: '0.23', options: McpFunctionOptions = {}) {
  const stage = await startMockStage(() => startMockEngine(engine === undefined ? {} : { engine }))
  const worker = await stage.connect({ name: 'tea' })
  registerMcpFunction(worker, 'tea::make', handle as never, { ...options, ...makeTea } as never)
  await worker.ready()
  const make = (said?: ClientCallOptions) => callAsClient(stage.engine, makeTea, { cups: 2 }, said)
  return { ...stage, make, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

describe('a function that is called as a client does', () => {
  it.each([undefined, '0.23'] as const)(
    'asks, reports and answers, typed by its schemas (engine %s)',
    async (engine) => {
      await using tea = await startTea(brew, engine)
      const steps: number[] = []
      const said: unknown[] = []
      const made = await tea.make({
        answers: { 'Which tea for 2?': { kind: 'green' } },
        onProgress: ({ progress }) => steps.push(progress),
        onLog: (message) => said.push(message),
      })
      expect(made).toEqual({ made: 2, kind: 'green' })
      expectTypeOf(made).toEqualTypeOf<{ made: number; kind?: string | undefined }>()
      // @ts-expect-error `cups` is a number
      void (() => callAsClient(tea.engine, makeTea, { cups: 'two' }))
      expect(steps.at(-1)).toBe(2)
      expect(said).toEqual([{ level: 'info', data: 'The kettle is empty' }])
    },
  )

  it.each([true, null, 5])('says what an answer is, where %j is given as one', async (answer) => {
    await using tea = await startTea(brew)
    const asked = tea.make({ answers: () => answer as never })
    await expect(asked).rejects.toThrow(
      `the answer to "Which tea for 2?" is ${answer}; say the content of a form, a text`,
    )
    await expect(asked).rejects.toMatchObject({ code: 'question_unanswered' })
  })

  it('is answered by a function, by key, and by no', async () => {
    await using tea = await startTea(brew)
    expect(await tea.make({ answers: () => 'decline' })).toEqual({ made: 0 })
    const answers = ({ params }: { params: object }) => ({ kind: 'requestedSchema' in params ? 'black' : 'green' })
    expect(await tea.make({ answers })).toEqual({ made: 2, kind: 'black' })
  })

  it('asks the model of the client, and for its folders', async () => {
    await using tea = await startTea(async (_input, { ask }) => {
      const [poem, roots] = await Promise.all([ask.sample('A poem?'), ask.roots()])
      const text = poem.action === 'accept' ? poem.content.text : ''
      return { made: roots.action === 'accept' ? roots.content.length : 0, kind: text }
    })
    const answers = { 'A poem?': 'Green leaves', 'roots/list': ['file:///srv'] }
    expect(await tea.make({ answers })).toEqual({ made: 1, kind: 'Green leaves' })
  })

  it('says which question has no answer, and what is wrong with one that does not fit', async () => {
    await using tea = await startTea(brew)
    const unanswered = tea.make({ answers: {} })
    await expect(unanswered).rejects.toMatchObject({
      code: 'question_unanswered',
      message: 'tea::make asks "Which tea for 2?"; say answers: { "Which tea for 2?": … }',
    })
    await expect(tea.make({ answers: { 'Which tea for 2?': { kind: 'red' } } })).rejects.toThrow('does not fit')
    await expect(tea.make({ answers: () => ({ kind: 'red' }) })).rejects.toThrow('has asked 20 times')
  })

  it('fails with the code of its fault', async () => {
    await using tea = await startTea(() => Promise.reject(new Fault('conflict', 'Somebody else makes tea')))
    const fault = { code: 'conflict', message: 'Somebody else makes tea' }
    await expect(tea.make()).rejects.toMatchObject(fault)
    await expect(tea.engine.call('tea::make')).rejects.toMatchObject(fault)
    await expect(callAsClient(tea.engine, 'tea::brew')).rejects.toMatchObject({ code: 'function_not_found' })
  })

  it('gets its default from a client that cannot be asked, which is one without answers', async () => {
    await using tea = await startTea(async (_input, { ask }) => {
      const answer = await ask.form('Sugar?', z.object({ lumps: z.int() }), { default: { lumps: 3 } })
      return { made: answer.action === 'accept' ? answer.content.lumps : 0 }
    })
    expect(await tea.make()).toEqual({ made: 3 })
    await using other = await startTea(brew)
    await expect(other.make()).rejects.toMatchObject({ code: 'question_unanswered' })
  })

  it('knows who asks', async () => {
    let seen: unknown
    await using tea = await startTea((_input, { client, principal }) => {
      seen = { client: client?.name, principal }
      return { made: 0 }
    })
    await tea.make({ principal: 'ada', client: { name: 'desk' } })
    expect(seen).toEqual({ client: 'desk', principal: { id: 'ada', method: 'token', scopes: [] } })
  })

  it('hears that it was cancelled', async () => {
    const cancelled = new AbortController()
    await using tea = await startTea(async (_input, { signal }) => {
      cancelled.abort()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { made: 0, kind: 'cold' }
    })
    expect(await tea.make({ signal: cancelled.signal })).toEqual({ made: 0, kind: 'cold' })
  })

  it('fails for a result that breaks its schema, unless that is wanted', async () => {
    await using tea = await startTea(() => ({ made: 'three' }))
    const broken = {
      code: 'result_invalid',
      message: expect.stringContaining(
        'tea::make returned what breaks its response_format: made: "three" is not of type "integer"',
      ),
    }
    await expect(tea.make()).rejects.toMatchObject(broken)
    await expect(tea.engine.call('tea::make')).rejects.toMatchObject(broken)
    expect(await tea.make({ strict: false })).toEqual({ made: 'three' })
  })

  it('is not waited for longer than was said', async () => {
    await using tea = await startTea(() => new Promise(() => undefined))
    await expect(tea.make({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(callAsClient({ url: 'ws://127.0.0.1:1' }, 'tea::make')).rejects.toMatchObject({
      code: 'connection_lost',
    })
  })
})
