import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { STATE_SCOPES } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { type ManagedClient, startManagedClient, untilGone, type WorkerPlace } from '../managed-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
  stack.worker.registerFunction('demo::hello', () => ({ status_code: 200, body: { greeting: 'hi' } }))
  await stack.worker.ready()
})
afterAll(() => cleanup.run())

/** A worker that does not want to end, with a process of its own that does not either. */
const STUBBORN = `import { spawn } from 'node:child_process'
process.on('SIGTERM', () => undefined)
const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => 0); setInterval(() => 0, 1000)'])
export const handler = () => ({ pid: child.pid, leader: process.ppid, folder: process.cwd() })`

async function write(client: ManagedClient, function_name: string, code: string): Promise<string> {
  const made = await client.call('iii_worker_register', { language: 'node', code, function_name })
  expect(made).toMatchObject({ isError: false, data: { message: 'Worker created and connecting to iii-engine' } })
  return String(made.data['id'])
}

scenario(['management/worker'], 'a client writes a worker, calls it and stops it', async () => {
  await using client = await startManagedClient(stack.engineUrl)
  const code = 'async ({ a, b }) => ({ sum: a + b, pid: process.pid, leader: process.ppid, folder: process.cwd() })'
  const id = await write(client, 'made::add', code)
  const { data } = await client.call('made__add', { a: 2, b: 40 })
  expect(data).toMatchObject({ sum: 42 })
  expect(await stack.worker.trigger({ function_id: 'made::add', payload: { a: 1, b: 2 } })).toMatchObject({ sum: 3 })
  expect((await client.call('iii_worker_stop', { id })).data).toEqual({ id, message: 'Worker stopped and cleaned up' })
  expect(existsSync(String(data['folder']))).toBe(false)
  await untilGone(data as unknown as WorkerPlace)
  expect(client.bridge.strays).toEqual([])
})

scenario(['management/official-sdk'], 'a worker that a client writes uses the official SDK', async () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  await using client = await startManagedClient(stack.engineUrl, ['--allow-run'], { cwd })
  const code = `import { registerWorker } from 'iii-sdk'
    const iii = registerWorker(process.env.III_URL, { workerName: 'made' })
    iii.registerFunction('made::official', async ({ a }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { twice: a * 2 }
    })`
  await write(client, 'made::official', code)
  expect((await client.call('made__official', { a: 4 })).data).toEqual({ twice: 8 })
})

const ENDS: readonly [string, (client: ManagedClient) => void][] = [
  ['is killed', ({ bridge }) => void process.kill(bridge.pid, 'SIGKILL')],
  ['is told to stop', ({ bridge }) => void process.kill(bridge.pid, 'SIGTERM')],
  ['is left by its client', ({ bridge }) => bridge.end()],
]
for (const [how, end] of ENDS) {
  scenario(['management/ends'], `nothing of a stubborn worker is left when the server ${how}`, async () => {
    await using client = await startManagedClient(stack.engineUrl)
    await write(client, 'made::stubborn', STUBBORN)
    const place = (await client.call('made__stubborn', {})).data as unknown as WorkerPlace
    expect(existsSync(place.folder)).toBe(true)
    end(client)
    await client.bridge.exited
    await untilGone(place)
  })
}

scenario(
  ['management/trigger'],
  'a route that a client attaches is served as long as the server is there',
  async () => {
    await using client = await startManagedClient(stack.engineUrl)
    const config = { api_path: '/made-by-client', http_method: 'GET' }
    const input = { trigger_type: 'http', function_id: 'demo::hello', config }
    expect((await client.call('iii_trigger_register', input)).isError).toBe(false)
    const get = () => fetch(`${stack.httpUrl}/made-by-client`)
    expect(await (await get()).json()).toEqual({ greeting: 'hi' })
    const call = { function_id: 'demo::hello', payload: {} }
    expect((await client.call('iii_trigger_void', call)).text).toBe('Triggered (void): demo::hello')
    expect((await client.call('iii_trigger_enqueue', call)).text).toContain('The engine has no queue worker')
    client.bridge.end()
    await client.bridge.exited
    await until(async () => (await get()).status === 404, { what: 'the route to be gone', deadlineMs: 5000 })
  },
)

scenario(['management/watching'], 'a function hears of no row of state through a trigger of a client', async () => {
  await using client = await startManagedClient(stack.engineUrl)
  const { triggers } = await stack.worker.trigger<{ triggers: { id: string }[] }>({
    function_id: 'engine::triggers::list',
    payload: { include_internal: true },
  })
  const types = triggers.map(({ id }) => id).filter((id) => !['http', 'cron', 'durable:subscriber'].includes(id))
  expect(types).toContain('state')
  const scopes = Object.values(STATE_SCOPES).flatMap((each) => Object.values<string>(each))
  for (const trigger_type of [...types, 'State', ' state', 'state\n', 'iii-state', 'stream']) {
    for (const scope of trigger_type === 'state' ? scopes : scopes.slice(0, 1)) {
      const input = { trigger_type, function_id: 'demo::hello', config: { scope } }
      const { isError, text } = await client.call('iii_trigger_register', input)
      expect([trigger_type, isError, text]).toEqual([
        trigger_type,
        true,
        expect.stringMatching(/cannot be attached here; use http, cron or queue/),
      ])
    }
  }
  const attached = await stack.worker.trigger({
    function_id: 'engine::registered-triggers::list',
    payload: { include_internal: true },
  })
  expect(JSON.stringify(attached)).not.toContain('demo::hello')
})

scenario(['management/gate'], 'nothing runs without --allow-run, and nothing leads inside', async () => {
  await using client = await startManagedClient(stack.engineUrl, [])
  const worker = { language: 'node', code: '() => 1', function_name: 'made::none' }
  expect((await client.call('iii_worker_register', worker)).text).toContain(
    'which this server was not allowed to do; whoever runs it can allow it',
  )
  for (const tool of ['iii_trigger_void', 'iii_trigger_enqueue']) {
    const { text } = await client.call(tool, { function_id: 'state::set', payload: { scope: 'x', key: 'y', value: 1 } })
    expect(text).toContain('is in the iii-engine internal namespace')
  }
  await using allowed = await startManagedClient(stack.engineUrl)
  const config = { api_path: '/inside', http_method: 'POST', middleware_function_ids: ['state::set'] }
  const trigger = { trigger_type: 'http', function_id: 'demo::hello', config }
  expect((await allowed.call('iii_trigger_register', trigger)).text).toContain('internal namespace')
  expect((await fetch(`${stack.httpUrl}/inside`, { method: 'POST' })).status).toBe(404)
})
