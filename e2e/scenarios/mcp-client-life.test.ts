import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { readReceived } from '../mcp-servers/fixture.ts'
import { type Hostility, prepareHostility } from '../mcp-servers/hostile.ts'
import { scenario } from '../scenario.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'

/** Servers that do not start, live or end as they should. */
const cleanup = createCleanup()
let hostility: Hostility

beforeAll(async () => {
  hostility = await prepareHostility(cleanup.use(await startStack({ workers: [] })))
})
afterAll(() => cleanup.run())

scenario(['mcp-client/start'], 'a server that never answers initialize is stopped and tried again later', () =>
  hostility.endure(
    (entry) => ({ mute: entry('silent', {}, { timeouts: { start_ms: 300 } }) }),
    async ({ says, reaches, functionsOf }) => {
      await says('mute', 'start_timeout')
      await reaches('mute', 'backoff', 'connecting')
      expect(await functionsOf('mute')).toEqual([])
    },
  ),
)

scenario(['mcp-client/start'], 'a server that exits at once, for ever, is started less and less often', () =>
  hostility.endure(
    (entry) => ({ gone: entry('exits') }),
    async ({ says, journal }) => {
      const { diagnostics, stderr } = await says('gone', 'exited_before_initialize')
      expect(JSON.stringify(diagnostics)).toContain('3')
      expect(stderr.join('\n')).toContain('no such database')
      const began = performance.now()
      const starts = () => journal().filter(({ what, mode }) => what === 'start' && mode === 'exits').length
      await until(() => starts() >= 3, { what: 'a third try' })
      // 0.5 s and 1 s with up to half of jitter.
      expect(performance.now() - began).toBeGreaterThan(400)
      expect(starts()).toBeLessThanOrEqual(4)
    },
  ),
)

scenario(['mcp-client/start'], 'a server that answers initialize with nonsense is told apart', () =>
  hostility.endure(
    (entry) => ({ odd: entry('nonsense') }),
    async ({ says }) => void (await says('odd', 'initialize_invalid')),
  ),
)

scenario(['mcp-client/start'], 'what cannot be started says what is missing', () =>
  hostility.endure(
    (entry) => ({
      nowhere: { ...entry('honest'), command: 'iii-e2e-no-such-program' },
      homeless: entry('honest', {}, { cwd: './not-there' }),
      poor: entry('honest', {}, { env: { set: { TOKEN: { env: 'E2E_NO_SUCH_VARIABLE' } } } }),
    }),
    async ({ says, journal }) => {
      const nowhere = await says('nowhere', 'command_not_found')
      expect(JSON.stringify(nowhere.diagnostics)).toContain('iii-e2e-no-such-program')
      await says('homeless', 'cwd_missing')
      const poor = await says('poor', 'secret_missing')
      expect(JSON.stringify(poor.diagnostics)).toContain('E2E_NO_SUCH_VARIABLE')
      expect(journal().filter(({ what }) => what === 'start')).toHaveLength(1)
    },
  ),
)

scenario(['mcp-client/noise'], 'a banner and a line now and then are skipped and counted', () =>
  hostility.endure(
    (entry) => ({ chatty: entry('banner') }),
    async ({ reaches, call, status }) => {
      await reaches('chatty', 'ready')
      expect(JSON.stringify(await call('chatty::echo', { text: 'hello' }))).toContain('hello')
      const skipped = Object.values((await status('chatty')).counts)
      expect(Math.max(0, ...skipped)).toBeGreaterThanOrEqual(3)
    },
  ),
)

for (const [mode, what] of [
  ['garbage', 'talks without end'],
  ['binary', 'writes bytes that are no text'],
] as const) {
  scenario(['mcp-client/noise'], `a server that ${what} on stdout is stopped`, () =>
    hostility.endure(
      (entry) => ({ loud: entry(mode) }),
      async ({ says, reaches }) => {
        await says('loud', 'stdout_garbage')
        await reaches('loud', 'backoff', 'connecting')
      },
    ),
  )
}

scenario(['mcp-client/processes'], 'a grandchild that ignores TERM goes with its server', () =>
  hostility.endure(
    (entry) => ({ parent: entry('grandchild'), stubborn: entry('stubborn') }),
    async ({ reaches, journal }) => {
      await reaches('parent', 'ready')
      await reaches('stubborn', 'ready')
      expect(journal().filter(({ what }) => what === 'grandchild')).toHaveLength(2)
    },
  ),
)

scenario(['mcp-client/flood'], 'a server that reads nothing any more costs its callers a deadline, and no memory', () =>
  hostility.endure(
    (entry) => ({ deaf: entry('deaf', {}, { timeouts: { call_ms: 700 }, concurrency: { wait_ms: 700 } }) }),
    async ({ reaches, fails, call }) => {
      await reaches('deaf', 'ready')
      const text = 'x'.repeat(200_000)
      const many = Array.from({ length: 50 }, () => fails('deaf::echo', { text }))
      expect(JSON.stringify(await call('calm::echo', { text: 'meanwhile' }))).toContain('meanwhile')
      const codes = new Set((await Promise.all(many)).map(({ code }) => code))
      expect(
        [...codes].filter((code) => !['deadline', 'overloaded', 'worker_lost', 'unavailable'].includes(code)),
      ).toEqual([])
      expect(codes).toContain('overloaded')
    },
  ),
)

scenario(['mcp-client/storm'], 'list_changed every 10 ms is a look a second at most, and calls go on', () =>
  hostility.endure(
    (entry) => ({ storm: entry('storm') }),
    async ({ reaches, call, folder }) => {
      await reaches('storm', 'ready', 'churning')
      const began = performance.now()
      const looks = () => readReceived(folder, 'storm', 'tools/list').length
      const first = looks()
      await until(() => looks() >= first + 2, { what: 'two more looks' })
      expect(performance.now() - began).toBeGreaterThan(900)
      expect(JSON.stringify(await call('storm::echo', { text: 'in the storm' }))).toContain('in the storm')
    },
  ),
)

scenario(['mcp-client/fail-closed'], 'sampling, elicitation and roots are refused and counted', () =>
  hostility.endure(
    (entry) => ({ asks: entry('asks') }),
    async ({ reaches, journal, status }) => {
      await reaches('asks', 'ready')
      const replies = () => journal().flatMap(({ reply }) => reply ?? [])
      await until(() => replies().length === 3, { what: 'three replies' })
      expect(replies().map(({ id, error }) => [id, error?.code])).toEqual([
        ['ask-1', -32601],
        ['ask-2', -32601],
        ['ask-3', -32601],
      ])
      expect(Math.max(0, ...Object.values((await status('asks')).counts))).toBeGreaterThanOrEqual(3)
    },
  ),
)

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

scenario(['mcp-client/revisions'], 'servers of each revision serve, and an unknown one is named', () =>
  hostility.endure(
    (entry) => ({
      ...Object.fromEntries(REVISIONS.map((revision) => [`r${revision}`, entry('honest', { revision })])),
      future: entry('honest', { revision: '2031-01-01' }),
    }),
    async ({ reaches, says, call, functionsOf, journal }) => {
      for (const revision of REVISIONS) {
        await reaches(`r${revision}`, 'ready')
        const isThere = async () => (await functionsOf(`r${revision}`)).includes(`r${revision}::echo`)
        await until(isThere, { what: `the functions of r${revision} to be on the engine` })
        expect(JSON.stringify(await call(`r${revision}::echo`, { text: revision }))).toContain(revision)
      }
      const { diagnostics } = await says('future', 'revision_unsupported')
      expect(JSON.stringify(diagnostics)).toContain('2031-01-01')
      const offers = journal().filter(({ line }) => line?.includes('"method":"initialize"'))
      expect(offers.filter(({ line }) => !line?.includes('"protocolVersion":"2025-11-25"'))).toEqual([])
    },
  ),
)

scenario(['mcp-client/environment'], 'a server has the environment of the file, and nothing else of the worker', () =>
  hostility.endure(
    (entry) => ({
      told: entry('honest', {}, { env: { inherit: ['E2E_INHERITED'], set: { LOG_LEVEL: { value: 'info' } } } }),
    }),
    async ({ reaches, journal, folder }) => {
      await reaches('told', 'ready')
      const [calm, told] = journal().filter(({ what }) => what === 'start')
      const usual = /^(?:PATH|HOME|LANG|LC_.*|TZ|TMPDIR|LOGNAME|USER|SHELL|TERM)$/
      const odd = [calm, told].flatMap(({ variables = {} } = { what: 'start', mode: '', pid: 0 }) =>
        Object.keys(variables).filter((name) => !usual.test(name)),
      )
      expect(odd).toEqual(['LOG_LEVEL'])
      expect(told?.cwd).toBe(folder)
    },
  ),
)
