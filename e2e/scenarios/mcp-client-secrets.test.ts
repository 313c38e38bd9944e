import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { type Hostility, prepareHostility } from '../mcp-servers/hostile.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** What a server is given in confidence, and says wherever it can. */
const cleanup = createCleanup()
let stack: Stack
let hostility: Hostility

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['runs'] }))
  hostility = await prepareHostility(stack)
})
afterAll(() => cleanup.run())

const SECRET = 'canary/secret+of_the%server=7291'

/** As it is, and as it may be written elsewhere. */
const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
  Buffer.from(SECRET).toString('base64url'),
  JSON.stringify(SECRET).slice(1, -1),
]

function expectNoSecret(what: string, said: unknown): void {
  const text = typeof said === 'string' ? said : JSON.stringify(said)
  // Base64 of a text with something before it, at each of its three offsets.
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].map(([piece]) =>
    Buffer.from(piece, 'base64').toString('latin1'),
  )
  expect(
    FORMS.filter((form) => text.includes(form)),
    what,
  ).toEqual([])
  expect(
    decoded.filter((piece) => piece.includes(SECRET)),
    what,
  ).toEqual([])
}

scenario(['mcp-client/secrets'], 'a secret is in no result, error, log, state, command or record', () => {
  let given = ''
  return hostility.endure(
    (entry, folder) => {
      given = join(folder, 'token')
      writeFileSync(given, `${SECRET}\n`, { mode: 0o600 })
      return { leaks: entry('leaks', {}, { env: { set: { TOKEN: { file: './token' } } } }) }
    },
    async (stage) => {
      const { reaches, call, fails, functionsOf, command, child } = stage
      const status = await reaches('leaks', 'ready')
      await until(async () => (await stage.status('leaks')).stderr.length > 0, { what: 'its words on stderr' })
      expectNoSecret('state', [status, await stage.status('leaks')])
      const ids = await functionsOf('leaks')
      expect(ids.length).toBeGreaterThanOrEqual(7)
      for (const id of ids) {
        const said = /fail|fault/.test(id) ? await fails(id) : await call(id)
        expectNoSecret(id, said)
      }
      for (const id of ids) {
        const info = await call('engine::functions::info', { function_id: id })
        expectNoSecret(`description of ${id}`, info)
      }
      for (const words of [['list'], ['show', 'leaks'], ['tools', 'leaks'], ['doctor'], ['check', 'leaks']]) {
        const { stdout, stderr } = await command(...words)
        expectNoSecret(words.join(' '), stdout + stderr)
      }
      expectNoSecret('log', [...child.stdout, ...child.stderr].join('\n'))
      expectNoSecret('history', await stack.worker.trigger({ function_id: 'runs::list_runs', payload: {} }))
      const kept = readdirSync(stage.folder).filter((name) => !['token', 'journal.jsonl'].includes(name))
      for (const name of kept) expectNoSecret(name, readFileSync(join(stage.folder, name), 'utf8'))
    },
  )
})
