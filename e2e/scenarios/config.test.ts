import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram, skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
let folder: string

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
const post = (path = '/mcp') =>
  sendHttp(`${stack.httpUrl}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: PING })

scenario(
  ['config/locked'],
  'a bridge with a malformed file answers with line and reason until the file is mended',
  async () => {
    const config = join(folder, 'bridge.yaml')
    await writeFile(config, 'api_path: /mcp\nrequire_expose: perhaps\n')
    await using bridge = startChild(bridgeProgram(stack.engineUrl, ['--config', config]))
    const locked = await until(async () => (await post()).status === 503 && post(), {
      what: 'a locked answer',
      deadlineMs: 20_000,
    })
    expect(JSON.parse(locked.body)).toMatchObject({
      id: 7,
      error: { message: expect.stringMatching(/locked by its configuration.*line 2.*require_expose/s) },
    })
    expect(locked.body).not.toContain(folder)

    await writeFile(config, 'api_path: /mcp\nrequire_expose: true\n')
    await until(async () => (await post()).status === 200, { what: 'the bridge to unlock', deadlineMs: 25_000 })

    await writeFile(config, 'api_path: [\n')
    await bridge.line(/last good|keep/i)
    expect((await post()).status).toBe(200)
  },
)

scenario(
  ['config/locked'],
  'a registry with a malformed file answers every call with line and reason until it is mended',
  async () => {
    const config = join(folder, 'skills.yaml')
    await writeFile(config, 'state_timeout_ms: soon\n')
    await using _skills = startChild(skillsProgram(stack.engineUrl, ['--config', config]))
    const call = (function_id: string, payload: object) => stack.worker.trigger({ function_id, payload })
    const refusal = (function_id: string, payload: object) =>
      call(function_id, payload).then(
        () => 'answered',
        (error: Error) => error.message,
      )
    const isLocked = async () => (await refusal('skills::list', {})).includes('line 1')
    await until(isLocked, { what: 'a locked answer', deadlineMs: 20_000 })
    expect(await refusal('skills::register', { id: 'a', skill: '# A' })).toContain('state_timeout_ms')
    expect(await refusal('prompts::list', {})).toContain('line 1')

    await writeFile(config, 'state_timeout_ms: 5000\n')
    const isOpen = async () => (await refusal('skills::list', {})) === 'answered'
    await until(isOpen, { what: 'the registry to unlock', deadlineMs: 25_000 })
    await expect(call('skills::register', { id: 'a', skill: '# A' })).resolves.toMatchObject({ id: 'a' })
  },
)

scenario(['config/file'], 'a bridge whose file is missing warns and serves with its defaults', async () => {
  await using bridge = startChild(bridgeProgram(stack.engineUrl, ['--config', join(folder, 'missing.yaml')]))
  await bridge.line(/missing\.yaml/)
  await until(async () => (await post()).status === 200, { what: 'the bridge to serve', deadlineMs: 20_000 })
})

scenario(['config/file'], 'a bridge serves the path of its file, and only that one', async () => {
  const config = join(folder, 'path.yaml')
  await writeFile(config, 'api_path: tools/mcp\n')
  await using _bridge = startChild(bridgeProgram(stack.engineUrl, ['--config', config]))
  await until(async () => (await post('/tools/mcp')).status === 200, {
    what: 'the bridge to serve',
    deadlineMs: 20_000,
  })
  expect((await post()).status).toBe(404)
})
