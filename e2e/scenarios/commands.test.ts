import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { bridgeProgram, skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const FLAGS = ['--require-expose']

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags: FLAGS }))
})
afterAll(() => cleanup.run())

/** Runs `iii-mcp` with these words, finding the engine by the environment. */
const operate = (...args: string[]) =>
  runToEnd({ ...bridgeProgram(stack.engineUrl), args, env: { III_URL: stack.engineUrl } })

scenario(
  ['commands/explain'],
  'an operator is told why a client does not see a function, and clients see the rest',
  async () => {
    stack.worker.registerFunction('shop::open', () => 'open', { metadata: { 'mcp.expose': true } })
    stack.worker.registerFunction('shop::safe', () => 'closed')
    await stack.worker.ready()
    expect(await operate('explain', 'shop::open', ...FLAGS)).toMatchObject({ code: 0 })
    const { code, stdout } = await operate('explain', 'shop::safe', '--json', ...FLAGS)
    expect(code).toBe(1)
    expect(JSON.parse(stdout).tool).toMatchObject({
      rule: 'expose_missing',
      changes: expect.arrayContaining(['set mcp.expose: true in its metadata']),
    })
    await using client = await stack.connect('sdk 1.x')
    const refused = await client.callTool('shop__safe', {})
    expect(JSON.stringify(refused)).toContain('is not exposed via mcp.expose metadata')
    expect(await operate('explain', 'shop::saef', ...FLAGS)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean shop::safe?'),
    })
  },
)

scenario(['commands/doctor'], 'an operator has a system looked at that works, and one that does not', async () => {
  const { code, stdout } = await operate('doctor', ...FLAGS)
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/^ok +engine +engine \d+\.\d+\.\d+/m)
  expect(stdout).toMatch(/^ok +route +worker 'mcp' \(id [^)]*version/m)
  expect(stdout).toMatch(/^ok +registry +worker 'skills'/m)
  stack.worker.registerFunction('shop::page', () => ({ status_code: 200, body: 'shop' }))
  const config = { api_path: 'mcp', http_method: 'POST' }
  const trigger = stack.worker.registerTrigger({ type: 'http', function_id: 'shop::page', config })
  await stack.worker.ready()
  const taken = await operate('doctor', ...FLAGS)
  trigger.unregister()
  expect(taken.code).toBe(1)
  expect(taken.stdout).toMatch(/^problem +route .*shop::page/m)
})

scenario(
  ['commands/explain-running'],
  'without flags the running bridge says by what functions are judged, and what the registry has is known',
  async () => {
    stack.worker.registerFunction('shop::quiet', () => 'quiet')
    await stack.worker.ready()
    await stack.worker.trigger({ function_id: 'skills::register', payload: { id: 'shop', skill: '# The shop' } })
    const { code, stdout, stderr } = await operate('explain', 'shop::quiet')
    expect([code, stderr]).toEqual([1, 'by the settings of the bridge that runs over HTTP'])
    expect(stdout.replace(/\s+/g, ' ')).toContain('which require_expose asks for')
    for (const name of ['shop', 'iii://shop']) {
      expect(await operate('explain', name)).toMatchObject({ code: 0, stdout: expect.stringContaining('iii://shop: ') })
    }
    const all = await operate('explain')
    expect(Math.max(...all.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(all.stdout).toMatch(/^iii:\/\/shop +/m)
  },
)

scenario(['commands/doctor-tools'], 'doctor counts what clients list, and what would hide all of it', async () => {
  stack.worker.registerFunction('shop::window', () => 'open', { metadata: { 'mcp.expose': true } })
  await stack.worker.ready()
  await using client = await stack.connect('sdk 1.x')
  const counted = async () => {
    const tools = (await client.listTools()).map(({ name }) => name)
    const found = JSON.parse((await operate('doctor', '--json')).stdout).checks as { check: string; summary: string }[]
    const { summary = '' } = found.find(({ check }) => check === 'tools') ?? {}
    return tools.includes('shop__window') && summary.includes(`lists ${tools.length} tool`)
  }
  await until(counted, { what: 'doctor to count as the client does' })
  const hidden = await operate('doctor', '--tier', 'gold', '--api-path', '/other')
  expect([hidden.code, hidden.stdout]).toEqual([1, expect.stringMatching(/^problem +tools /m)])
  const told = hidden.stdout.replace(/\s+/g, ' ')
  expect(told).toContain(`iii-mcp explain --url ${stack.engineUrl} --api-path /other --tier gold`)
})

scenario(
  ['commands/skills-doctor'],
  'the keeper of a registry has it looked at, and a row of a stranger named',
  async () => {
    const look = (...args: string[]) =>
      runToEnd({ ...skillsProgram(stack.engineUrl), args: ['doctor', ...args], env: { III_URL: stack.engineUrl } })
    const well = await look()
    expect(well.code, well.stdout).toBe(0)
    expect(well.stdout).toMatch(/^ok +registry +worker 'skills' \(id\s[^)]+\) serves\s+skills::\*/m)
    expect(well.stdout).toMatch(/^(?:ok|warning) +state +the engine's state answers/m)
    expect(well.stdout).toMatch(/^ok +rows +\d+ skills? and \d+ prompts?, all readable$/m)
    const row = { scope: 'prompts', key: 'odd' }
    await stack.worker.trigger({ function_id: 'state::set', payload: { ...row, value: { name: 'odd' } } })
    const { code, stdout } = await look('--json')
    await stack.worker.trigger({ function_id: 'state::delete', payload: row })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([
        expect.objectContaining({
          check: 'rows',
          verdict: 'warning',
          summary: expect.stringContaining('prompts: odd'),
        }),
      ]),
    })
  },
)
