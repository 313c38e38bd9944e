import { toFault } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { readReceived } from '../mcp-servers/fixture.ts'
import { type Hostility, prepareHostility } from '../mcp-servers/hostile.ts'
import { scenario } from '../scenario.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'

/** What servers answer, and what callers get of it. */
const cleanup = createCleanup()
let hostility: Hostility

beforeAll(async () => {
  hostility = await prepareHostility(cleanup.use(await startStack({ workers: [] })))
})
afterAll(() => cleanup.run())

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[]
  readonly structuredContent?: unknown
}

const RESULT_BYTES = 2 ** 20
/** Of the JSON around the texts. */
const ROOM = 64 * 1024

scenario(['mcp-client/flood'], '100 MB in one line end the connection, and the server is there again', () =>
  hostility.endure(
    (entry) => ({ flood: entry('flood') }),
    async ({ reaches, says, fails, call }) => {
      await reaches('flood', 'ready')
      const { message } = await fails('flood::flood')
      expect(message).toContain('longer than limits.message_bytes')
      expect(message.length).toBeLessThan(1000)
      await says('flood', 'message_too_large')
      await until(async () => JSON.stringify(await call('flood::echo', { text: 'back' })).includes('back'), {
        what: 'the server to be there again',
      })
    },
  ),
)

scenario(['mcp-client/results'], '3 MB of text keep head and tail and say how much is missing', () =>
  hostility.endure(
    (entry) => ({ large: entry('large') }),
    async ({ reaches, call }) => {
      await reaches('large', 'ready')
      const { content } = await call<Result>('large::text')
      const said = content.map(({ text = '' }) => text).join('\n')
      expect(said.length).toBeLessThanOrEqual(RESULT_BYTES + ROOM)
      expect(said).toMatch(/^head a/)
      expect(said).toMatch(/a tail\b/)
      expect(said).toMatch(/\d/)

      const image = await call<Result>('large::image')
      expect(JSON.stringify(image).length).toBeLessThan(ROOM)
      expect(image.content.filter(({ type }) => type === 'image')).toEqual([])
      const blocks = await call<Result>('large::blocks')
      expect(blocks.content.length).toBeLessThanOrEqual(257)
    },
  ),
)

scenario(
  ['mcp-client/results'],
  'what is deep, half a character, unknown or no result at all comes out well-formed',
  () =>
    hostility.endure(
      (entry) => ({ large: entry('large') }),
      async ({ reaches, call }) => {
        await reaches('large', 'ready')
        const lone = await call<Result>('large::lone')
        expect(lone.content[0]?.text?.isWellFormed()).toBe(true)
        const unknown = await call<Result>('large::unknown')
        expect(unknown.content.map(({ type }) => type)).toEqual(['text'])
        const deep = await call<Result>('large::deep')
        expect(JSON.stringify(deep).split('{').length).toBeLessThan(200)
        const shapeless = await call<Result>('large::shapeless')
        expect(shapeless.content.map(({ text }) => text)).toEqual(['no object at all'])
      },
    ),
)

scenario(['mcp-client/results'], 'a result that breaks its schema is passed on and counted', () =>
  hostility.endure(
    (entry) => ({ wrong: entry('mismatch') }),
    async ({ reaches, call, status }) => {
      await reaches('wrong', 'ready')
      expect(await call('wrong::number')).toMatchObject({ structuredContent: { n: 'seven' } })
      await until(async () => Object.values((await status('wrong')).counts).includes(1), {
        what: 'a mismatch to be counted',
      })
    },
  ),
)

scenario(['mcp-client/replies'], 'replies that are repeated, for nobody or for another call confuse nobody', () =>
  hostility.endure(
    (entry) => ({ ids: entry('wrong_ids') }),
    async ({ reaches, call }) => {
      await reaches('ids', 'ready')
      expect(await call('ids::repeated')).toMatchObject({ content: [{ text: 'again' }] })
      expect(await call('ids::repeated')).toMatchObject({ content: [{ text: 'again' }] })
      expect(await call('ids::foreign')).toMatchObject({ content: [{ text: 'for you' }] })
      const both = await Promise.all([call<Result>('ids::swapped'), call<Result>('ids::swapped')])
      expect(new Set(both.map(({ content }) => content[0]?.text)).size).toBe(2)
      expect(await call('ids::echo', { text: 'after' })).toMatchObject({ content: [{ text: 'after' }] })
    },
  ),
)

scenario(['mcp-client/calls'], 'a call that is refused, fails, or loses its server says so', () =>
  hostility.endure(
    (entry) => ({ works: entry('honest') }),
    async ({ reaches, fails, call }) => {
      await reaches('works', 'ready')
      expect(await fails('works::refuse')).toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('text has to be a word'),
      })
      expect(await fails('works::fail')).toMatchObject({ message: expect.stringContaining('it failed') })
      expect(await fails('works::end')).toMatchObject({ code: 'worker_lost' })
      await until(async () => JSON.stringify(await call('works::echo', { text: 'back' })).includes('back'), {
        what: 'the server to be there again',
      })
    },
  ),
)

scenario(
  ['mcp-client/calls'],
  'a call over its deadline is cancelled, its outcome unknown, and it is never sent again',
  () =>
    hostility.endure(
      (entry) => ({ slow: entry('honest', {}, { timeouts: { call_ms: 300 } }) }),
      async ({ reaches, fails, journal, folder }) => {
        await reaches('slow', 'ready')
        const { code, message } = await fails('slow::wait', { ms: 60_000 })
        expect(code).toBe('deadline')
        expect(message).toMatch(/not known/)
        await until(() => journal().some(({ what }) => what === 'gave up'), { what: 'the server to give up' })
        const sent = readReceived(folder, 'honest', 'tools/call').filter(({ line }) => line?.includes('"wait"'))
        expect(sent).toHaveLength(1)
      },
    ),
)

scenario(['mcp-client/calls'], 'more calls than a server takes wait, and those beyond are refused at once', () =>
  hostility.endure(
    (entry) => ({ busy: entry('honest', {}, { concurrency: { calls: 1, waiting: 2, wait_ms: 5000 } }) }),
    async ({ reaches, call }) => {
      await reaches('busy', 'ready')
      const calls = Array.from({ length: 6 }, () =>
        call('busy::wait', { ms: 200 }).then(
          () => 'done',
          (error: unknown) => toFault(error).code,
        ),
      )
      const ends = (await Promise.all(calls)).sort()
      expect(ends).toEqual(['done', 'done', 'done', 'overloaded', 'overloaded', 'overloaded'])
    },
  ),
)
