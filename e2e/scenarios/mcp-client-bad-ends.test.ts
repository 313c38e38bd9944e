import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { type Hostility, prepareHostility } from '../mcp-servers/hostile.ts'
import { scenario } from '../scenario.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'

/** Servers that refuse, hang up or talk without end, each in a way that looks like something else. */
const cleanup = createCleanup()
let hostility: Hostility

beforeAll(async () => {
  hostility = await prepareHostility(cleanup.use(await startStack({ workers: [] })))
})
afterAll(() => cleanup.run())

scenario(
  ['mcp-client/start'],
  'a server that refuses `initialize` is told with its reason, and not as one that is late',
  () =>
    hostility.endure(
      (entry) => ({ strict: entry('refuses', {}, { timeouts: { start_ms: 60_000 } }) }),
      async ({ says }) => {
        const { diagnostics } = await says('strict', 'initialize_invalid')
        expect(JSON.stringify(diagnostics)).toContain('no licence')
      },
    ),
)

scenario(['mcp-client/parallel'], 'more servers that hang than start at a time keep none from starting', () =>
  hostility.endure(
    (entry) => {
      const mute = entry('silent', {}, { timeouts: { start_ms: 60_000 } })
      return {
        ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`mute-${name}`, mute])),
        good: entry('honest'),
      }
    },
    async ({ reaches, status }) => {
      await reaches('good', 'ready')
      expect((await status('mute-e')).state).toBe('connecting')
    },
  ),
)

scenario(
  ['mcp-client/calls'],
  'a server that hears nothing any more fails the call that it does not hear, and comes back',
  () =>
    hostility.endure(
      (entry) => ({ deaf: entry('hangs_up', {}, { timeouts: { call_ms: 60_000 } }) }),
      async ({ reaches, call, fails }) => {
        const { pid } = await reaches('deaf', 'ready')
        await call('deaf::echo')
        expect(await fails('deaf::echo')).toMatchObject({ code: 'worker_lost' })
        await until(async () => (await reaches('deaf', 'ready')).pid !== pid, { what: 'another process' })
        await call('deaf::echo')
      },
    ),
)

scenario(
  ['mcp-client/flood'],
  'batches of thousands of requests end the connection, and cost nobody else anything',
  () =>
    hostility.endure(
      (entry) => ({ batches: entry('batches') }),
      async ({ says }) => void (await says('batches', 'stdout_garbage')),
    ),
)

scenario(['mcp-client/flood'], 'a server that writes to stderr without end serves, and so do the others', () =>
  hostility.endure(
    (entry) => ({ wails: entry('wails') }),
    async ({ reaches, call, status }) => {
      await reaches('wails', 'ready')
      await until(async () => (await status('wails')).stderr.length >= 200, { what: 'its lines' })
      for (const name of ['calm', 'wails']) {
        expect(JSON.stringify(await call(`${name}::echo`, { text: 'meanwhile' }))).toContain('meanwhile')
      }
    },
  ),
)

scenario(['mcp-client/operations'], 'resources of a server that knows no templates are listed', () =>
  hostility.endure(
    (entry) => ({ plain: entry('no_templates', {}, { operations: true }) }),
    async ({ reaches, call }) => {
      await reaches('plain', 'ready')
      expect(await call('plain::mcp::resources-list')).toMatchObject({
        resources: [{ uri: 'note://one' }],
        templates: [],
      })
    },
  ),
)
