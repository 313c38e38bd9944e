import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTools } from '../catalog/read-tools.ts'
import { toCommandHash } from '../configuration/compare.ts'
import { readServers } from '../configuration/read-servers.ts'
import { createPins } from '../pins/pins.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { toToldPending } from '../servers/status.ts'
import { type CommandStage, startCommandStage } from '../testing/command-stage.ts'

const SERVERS = { github: { command: 'github-mcp-server', trust: 'unsandboxed' } }
const tool = (name: string, description: string) => {
  const [read] = readTools([{ name, description, inputSchema: { type: 'object' } }], createSecretFilter([])).tools
  if (read === undefined) throw new Error(`${name} is no tool`)
  return read
}
const [before, after, added] = [
  tool('create', 'Creates'),
  tool('create', 'Creates and deletes'),
  tool('merge', 'Merges'),
]

let engine: MockEngine
beforeAll(async () => {
  engine = await startMockEngine()
})
afterAll(() => engine.close())

/** A server whose baseline has one tool, which has changed since, while another one is new. */
async function startStage(baseline: { commandHash?: string } = {}) {
  const stage = await startCommandStage(SERVERS, engine.url)
  const pins = createPins({
    path: join(stage.folder, 'mcp-client.lock.json'),
    log: createLog({ name: 'test', level: 'silent' }),
  })
  const [entry] = readServers(SERVERS, { folder: stage.folder })
  if (entry === undefined || !('config' in entry)) throw new Error('the entry is malformed')
  const server = { name: 'github', commandHash: toCommandHash(entry.config) }
  await pins.judge({ ...server, ...baseline }, [before])
  const { pending } = await pins.judge(server, [after, added])
  await stage.serve({ pending: pending.map(toToldPending) })
  const waiting = async () => (await pins.judge(server, [after, added])).pending.map((one) => one.tool.name)
  return { ...stage, waiting, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

const lockOf = ({ folder }: Pick<CommandStage, 'folder'>) => readFile(join(folder, 'mcp-client.lock.json'), 'utf8')

describe('approve', () => {
  it('shows what is different, asks, and writes what was shown', async () => {
    await using it = await startStage()
    const refused = await it.run(['approve', 'github'], { answer: 'n' })
    expect(refused).toMatchObject({ code: 1, stderr: 'nothing is approved\n' })
    expect(refused.stdout).toMatch(
      /^create: it has changed\n {2}- description: .*Creates.*\n {2}\+ description: .*deletes/,
    )
    expect(refused.stdout).toMatch(/^merge: nobody has approved it\n/m)
    expect(await it.waiting()).toEqual(['create', 'merge'])
    const { code, stderr } = await it.run(['approve', 'github', 'merge'], { answer: 'y' })
    expect([code, stderr]).toEqual([0, '1 approved; the running worker takes it up within two seconds\n'])
    expect(await it.waiting()).toEqual(['create'])
  })

  it('says of tools that are as they were what makes them wait', async () => {
    await using it = await startStage({ commandHash: '0'.repeat(64) })
    const { stdout } = await it.run(['approve', 'github'], { answer: 'n' })
    expect(stdout).toMatch(/^create: what its server runs has changed: command, args, cwd or env\n/m)
  })

  it('needs --yes where nobody can be asked', async () => {
    await using it = await startStage()
    const lock = await lockOf(it)
    for (const argv of [
      ['approve', 'github'],
      ['approve', 'github', '--json'],
    ]) {
      expect(await it.run(argv)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('look at what is different, and say --yes'),
      })
    }
    expect(await lockOf(it)).toBe(lock)
    expect(await it.json(['approve', 'github', '--yes'])).toMatchObject({
      server: 'github',
      approved: ['create', 'merge'],
      changes: [
        { tool: 'create', kind: 'changed' },
        { tool: 'merge', kind: 'new' },
      ],
    })
    expect(await it.waiting()).toEqual([])
  })

  it('knows what waits', async () => {
    await using it = await startStage()
    const missing = await it.run(['approve', 'github', 'creat', '--yes'])
    expect(missing).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no tool 'creat' waits for approval; did you mean create?"),
    })
    expect((await it.run(['approve', 'gitlab'])).code).toBe(3)
    await using idle = await startCommandStage(SERVERS, 'ws://127.0.0.1:9')
    expect((await idle.run(['approve', 'github', '--yes'])).code).toBe(4)
  })

  it('has nothing to do where nothing waits', async () => {
    await using engine = await startMockEngine()
    await using it = await startCommandStage(SERVERS, engine.url)
    await it.serve({})
    expect(await it.run(['approve', 'github'])).toMatchObject({
      code: 0,
      stderr: 'nothing of github waits for approval\n',
    })
  })

  it('fails where it is not known what waits', async () => {
    await using engine = await startMockEngine()
    await using it = await startCommandStage(SERVERS, engine.url)
    await it.serve({ name: 'github', state: 'connecting' })
    expect(await it.run(['approve', 'github', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('which tools of github wait is not known: it is connecting. See'),
    })
  })
})
