import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type ChildOptions, startChild } from '../child.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { startListening } from '../listening.ts'
import { measureBest } from '../measure-best.ts'
import { bridgeProgram, skillsProgram, stdioBridge } from '../programs.ts'
import { openSession } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const COUNTS_MS = 2000

const shared = useEmptyStack((worker) => {
  worker.registerFunction('orders::list', () => 'x'.repeat(3000), { metadata: { 'mcp.expose': true } })
  worker.registerFunction('billing::list', () => 'done')
})

/** An entry that is new on any engine: nobody can remove one. */
const newId = (name: string) => `e2e-${name}-${randomUUID()}`.slice(0, 64)

/** A program as the engine starts it. */
function byEngine(program: ChildOptions, id: string, env: Record<string, string> = {}): ChildOptions {
  return { ...program, env: { III_WORKER_NAME: program.name, III_CONFIG_NAME: id, ...env } }
}

const startBridge = async (id: string, flags: readonly string[] = [], env: Record<string, string> = {}) => {
  const bridge = startChild(byEngine(bridgeProgram(shared.stack.engineUrl, flags), id, env))
  await until(async () => (await requestOnce(shared.stack.mcpUrl, 'ping')) !== undefined, {
    what: 'the bridge to serve',
  })
  return bridge
}
const startSkills = async (id: string, flags: readonly string[] = [], env: Record<string, string> = {}) => {
  const skills = startChild(byEngine(skillsProgram(shared.stack.engineUrl, flags), id, env))
  await until(() => hasFunctions(shared.stack.worker, SKILLS_FUNCTIONS), { what: 'the registry to serve' })
  // It may serve before the entry of its settings is there.
  const isRegistered = () =>
    read(id).then(
      () => true,
      () => false,
    )
  await until(isRegistered, { what: 'its entry to be there' })
  return skills
}

const call = <Result>(operation: string, payload: object) =>
  shared.stack.worker.trigger<Result>({ function_id: `configuration::${operation}`, payload })
const read = async (id: string) => (await call<{ value: unknown }>('get', { id })).value
const store = (id: string, value: object) => call('set', { id, value })

async function ownTools(path = '/mcp'): Promise<string> {
  const result = (await requestOnce(`${shared.stack.httpUrl}${path}`, 'tools/list')) as { tools: { name: string }[] }
  const names = result.tools.map(({ name }) => name).filter((name) => /^(orders|billing)__/.test(name))
  return names.sort().join()
}
const toolsAre = (names: string) =>
  until(async () => (await ownTools()) === names, { what: `the tools to be ${names}` })

async function writeSettings(name: string, text: string): Promise<string[]> {
  const file = join(shared.folder, name)
  await writeFile(file, text)
  return ['--config', file]
}

/** How long it takes at best until a change counts, and what undoes it has counted. */
async function measure(change: () => Promise<unknown>, counts: () => Promise<unknown>, undo: () => Promise<unknown>) {
  return await measureBest(COUNTS_MS, async (nth) => {
    if (nth > 0) await undo()
    const startedAt = performance.now()
    await change()
    await counts()
    return performance.now() - startedAt
  })
}

const SEED = 'max_result_bytes: 2048\nhidden_prefixes: [billing::]\nhttp: true\nauth:\n  mode: off\n'

scenario(['settings/seeded'], 'the bridge stores a form with what environment and file say', async () => {
  const id = newId('mcp')
  const config = await writeSettings('seed.yaml', SEED)
  const env = { III_MCP_REQUIRE_EXPOSE: 'true', III_MCP_ALLOWED_HOSTS: 'mcp.example.com', III_MCP_TIER: 'ops' }
  await using _bridge = await startBridge(id, [...config, '--tier', 'sales'], env)
  expect(await read(id)).toEqual({ hidden_prefixes: ['billing::'], max_result_bytes: 2048, require_expose: true })
  const { schema, ...entry } = await call<{ schema: { properties: Record<string, object> } }>('schema', { id })
  expect(entry).toMatchObject({ id, name: 'mcp', description: expect.stringContaining('MCP server') })
  expect(Object.keys(schema.properties).sort()).toEqual([
    ...[
      'expose_all',
      'hidden_prefixes',
      'inline_refs',
      'max_result_bytes',
      'no_builtins',
      'output_schemas',
      'pinned_tools',
      'require_expose',
      'tier',
      'tools',
    ],
  ])
  for (const [key, field] of Object.entries(schema.properties)) {
    expect(field).toMatchObject({ title: expect.any(String), description: expect.stringMatching(/\.$/) })
    expect('default' in field, key).toBe(key !== 'tier')
  }
  await expect(store(id, { max_result_bytes: 'much' })).rejects.toThrow('schema validation failed')
})

scenario(['settings/seeded'], 'the registry stores a form with what environment and file say', async () => {
  const id = newId('skills')
  const config = await writeSettings('seed-skills.yaml', 'state_timeout_ms: 7000\nscopes:\n  skills: skills::seeded\n')
  await using _skills = await startSkills(id, config, { III_SKILLS_OWNERSHIP: 'strict' })
  expect(await read(id)).toEqual({ ownership: 'strict', state_timeout_ms: 7000 })
  const { schema } = await call<{ schema: { properties: object } }>('schema', { id })
  expect(schema.properties).toEqual({
    frontmatter: expect.objectContaining({ title: 'Frontmatter', enum: ['render', 'strict'], default: 'render' }),
    lease_ms: expect.objectContaining({ title: 'Lease ms', type: 'integer', minimum: 1000, default: 30_000 }),
    ownership: expect.objectContaining({ title: 'Ownership', enum: ['open', 'strict'], default: 'open' }),
    state_timeout_ms: expect.objectContaining({ title: 'State timeout ms', type: 'integer', default: 10_000 }),
  })
})

scenario(['settings/live'], 'a bridge follows what is stored within two seconds, and tells its clients', async () => {
  const id = newId('mcp')
  await using bridge = await startBridge(id)
  await toolsAre('billing__list,orders__list')
  using heard = await startListening(shared.stack.mcpUrl, await openSession(shared.stack.mcpUrl), shared.stack.worker)
  let from = 0
  const isTold = () => heard.messages.slice(from).some(({ method }) => method === 'notifications/tools/list_changed')
  const ms = await measure(
    () => {
      from = heard.messages.length
      return store(id, { require_expose: true })
    },
    async () => {
      await toolsAre('orders__list')
      await until(isTold, { what: 'tools/list_changed' })
    },
    async () => {
      await store(id, {})
      await toolsAre('billing__list,orders__list')
    },
  )
  expect(ms).toBeLessThanOrEqual(COUNTS_MS)
  expect(bridge.running).toBe(true)
  await store(id, { require_expose: true, hidden_prefixes: ['orders::'] })
  await toolsAre('')
})

scenario(['settings/live'], 'a registry follows what is stored within two seconds', async () => {
  const id = newId('skills')
  await using _skills = await startSkills(id)
  await using other = connectToEngine(shared.stack.engineUrl, 'other')
  /** Two workers want the same id: whoever of them comes second is refused while ownership is strict. */
  const refusals = async () => {
    const said: string[] = []
    for (const worker of [shared.stack.worker, other]) {
      const payload = { id: 'wanted', skill: '# Wanted' }
      await worker.trigger({ function_id: 'skills::register', payload }).catch((error) => said.push(String(error)))
    }
    return said.filter((text) => text.includes('belongs to the worker'))
  }
  expect(await refusals()).toEqual([])
  const ms = await measure(
    () => store(id, { ownership: 'strict' }),
    () => until(async () => (await refusals()).length === 1, { what: 'a refusal' }),
    async () => {
      await store(id, {})
      await until(async () => (await refusals()).length === 0, { what: 'no refusal' })
    },
  )
  expect(ms).toBeLessThanOrEqual(COUNTS_MS)
})

scenario(['settings/stricter'], 'what is stored opens nothing that the operator of a bridge closed', async () => {
  const id = newId('mcp')
  const config = await writeSettings('closed.yaml', 'require_expose: true\nhidden_prefixes: [orders::]\n')
  await using bridge = await startBridge(id, config)
  await toolsAre('')
  await store(id, {
    ...{ require_expose: false, expose_all: true, hidden_prefixes: [], max_result_bytes: 2000 },
    ...{ allow_run: true, http_builtins: true, api_path: '/elsewhere', allowed_hosts: ['evil.example.com'] },
    ...{ allowed_origins: ['https://evil.example.com'], http: true, no_stdio: false },
  })
  await bridge.line(/stored settings: require_expose: false would be less strict/)
  await bridge.line(/stored settings: expose_all: true would be less strict/)
  await bridge.line(/stored settings: hidden_prefixes: \[\] would be less strict/)
  for (const key of [
    'allow_run',
    'http_builtins',
    'api_path',
    'allowed_hosts',
    'allowed_origins',
    'http',
    'no_stdio',
  ]) {
    await bridge.line(new RegExp(`'${key}' does not count here`))
  }
  expect(await ownTools()).toBe('')
  expect(await requestOnce(`${shared.stack.httpUrl}/elsewhere`, 'ping')).toBeUndefined()
  const { tools } = (await requestOnce(shared.stack.mcpUrl, 'tools/list')) as { tools: { name: string }[] }
  expect(tools.filter(({ name }) => name.startsWith('iii_'))).toEqual([])
})

scenario(['settings/stricter'], 'what is stored moves no data and frees no record of a registry', async () => {
  const id = newId('skills')
  await using skills = await startSkills(id, [], { III_SKILLS_OWNERSHIP: 'strict' })
  await store(id, { ownership: 'open', scopes: { skills: 'mcp-session-keys' }, fresh_index: true })
  await skills.line(/ownership: \\"open\\" would be less strict/)
  await skills.line(/'scopes\.skills' does not count here/)
  await skills.line(/'fresh_index' does not count here/)
  await using other = connectToEngine(shared.stack.engineUrl, 'other')
  const register = (by: typeof other) =>
    by.trigger({ function_id: 'skills::register', payload: { id: 'owned', skill: '# Owned' } })
  await register(shared.stack.worker)
  await expect(register(other)).rejects.toThrow("belongs to the worker 'test'")
})

scenario(['settings/kept'], 'what is stored counts in the next process too, before its file', async () => {
  const id = newId('mcp')
  const config = await writeSettings('kept.yaml', 'max_result_bytes: 8192\n')
  const size = async () => {
    const result = await requestOnce(shared.stack.mcpUrl, 'tools/call', { name: 'orders__list', arguments: {} })
    return JSON.stringify(result).length
  }
  {
    await using _first = await startBridge(id, config)
    expect(await size()).toBeGreaterThan(3000)
    await store(id, { max_result_bytes: 1024, require_expose: true })
    await until(async () => (await size()) < 2500, { what: 'the result to be cut' })
  }
  await until(async () => (await requestOnce(shared.stack.mcpUrl, 'ping').catch(() => undefined)) === undefined, {
    what: 'it to be gone',
  })
  await using _second = await startBridge(id, config, { III_MCP_MAX_RESULT_BYTES: '8192' })
  expect(await size()).toBeLessThan(2500)
  expect(await ownTools()).toBe('orders__list')
  expect(await read(id)).toEqual({ max_result_bytes: 1024, require_expose: true })
})

scenario(
  ['settings/by-hand'],
  'workers that the engine did not start store nothing and read nothing there',
  async () => {
    const ids = [newId('mcp'), newId('skills'), newId('mcp')]
    const schema = { type: 'object' }
    const [stored = '', ...missing] = ids
    await call('register', {
      id: stored,
      name: 'mcp',
      description: '',
      schema,
      initial_value: { require_expose: true },
    })
    const [, skillsId = '', stdioId = ''] = ids
    await using _bridge = startChild({ ...bridgeProgram(shared.stack.engineUrl), env: { III_CONFIG_NAME: stored } })
    await using _skills = startChild({ ...skillsProgram(shared.stack.engineUrl), env: { III_CONFIG_NAME: skillsId } })
    await using stdio = startStdio(stdioBridge(shared.stack.engineUrl), { III_CONFIG_NAME: stdioId })
    await toolsAre('billing__list,orders__list')
    await until(() => hasFunctions(shared.stack.worker, SKILLS_FUNCTIONS), { what: 'the registry to serve' })
    await until(async () => JSON.stringify(await stdio.request('tools/list')).includes('billing__list'), {
      what: 'stdio',
    })
    for (const id of missing) await expect(read(id)).rejects.toThrow('not found')
  },
)
