import { startMockEngine } from '@iii/mock-engine'
import { Fault, promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { createLog, registerWorker } from '@iii/sdk'
import { CommandFailure } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { refuseAway } from '../records/leases.ts'
import { runCommandLine, startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry, serveMemoryRegistry } from '../testing/memory-registry.ts'
import { createRegistryCalls } from './calls.ts'

const log = createLog({ name: 'test', level: 'silent' })
const never = () => new Promise(() => undefined)

describe('calls of the registry', () => {
  it('survive its restart', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder(
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.md`, `${at}`])),
    )
    let left: Promise<void> | undefined
    registry.before = (call) => {
      if (left !== undefined || call !== 'skills::register f20') return
      left = stage.worker.shutdown().then(async () => {
        registry.before = () => undefined
        await serveMemoryRegistry(again, registry)
      })
      return never()
    }
    await using again = registerWorker(stage.engine.url, { log })
    expect(await stage.run('import', folder.path)).toMatchObject({ code: 0, stdout: '40 new\n' })
    await left
    expect(registry.skills.size).toBe(40)
  })

  it('end the command when the registry cannot work', async () => {
    const registry = createMemoryRegistry()
    registry.before = () => {
      throw new Fault('unavailable', 'The configuration of the skills registry is malformed: line 1')
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('list')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'iii-skills: The configuration of the skills registry is malformed: line 1\n',
    })
  })

  it('go on where one skill is away with its worker', async () => {
    const registry = createMemoryRegistry({ orders: '1', shop: '1' })
    registry.before = (call) => {
      if (/^skills::(resources-read iii:\/\/|lint )orders$/.test(call)) refuseAway('The skill orders', 'orders')
    }
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'orders.md': '2', 'shop.md': '2' })
    for (const command of ['read', 'lint']) {
      expect(await stage.run(command, 'orders')).toEqual({
        code: 3,
        stdout: '',
        stderr: "iii-skills: The skill orders is away with its worker 'orders', and is back when that is\n",
      })
    }
    expect(await stage.run('import', folder.path)).toMatchObject({ code: 0, stdout: '2 changed\n' })
    expect(await stage.run('export', folder.path)).toMatchObject({ code: 1, stdout: '1 unchanged, 1 failed\n' })
  })

  it('end the command when the engine goes, and say what was done', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using folder = await createFilledFolder({ 'a.md': '1', 'b.md': '2' })
    registry.before = (call) => {
      if (call !== 'skills::register b') return
      void stage.engine.close()
      return never()
    }
    const { code, stdout, stderr } = await stage.run('import', folder.path)
    expect([code, stderr]).toEqual([4, expect.stringContaining('the connection to the engine at ws://')])
    expect(stdout).toMatch(/^(1 new\n)?$/)
  })

  it('have a deadline, and are not made any more when nobody answers', async () => {
    const registry = createMemoryRegistry()
    await using stage = await startRegistryStage(startMockEngine, registry)
    await using worker = registerWorker(stage.engine.url, { log })
    await worker.ready()
    const call = createRegistryCalls(worker, 400)
    const list = () => call(skillsFunctions.list, {}).catch((error: unknown) => error)
    registry.before = never
    const failures = await Promise.all(Array.from({ length: 16 }, list))
    expect(failures.filter((failure) => failure instanceof Fault && failure.code === 'deadline')).toHaveLength(15)
    expect(failures.at(-1)).toBeInstanceOf(CommandFailure)
    registry.before = () => undefined
    expect(await list()).toEqual({ skills: [] })
    registry.before = never
    expect(toFault(await list()).code).toBe('deadline')
  })

  it('name what a registry of an older version lacks, and register no skill whose files it would not keep', async () => {
    const registry = createMemoryRegistry()
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'skills', log })
    for (const { id } of [skillsFunctions.list, skillsFunctions.register, promptsFunctions.mcpGet]) {
      worker.registerFunction(id, (payload: Record<string, unknown>) => registry.call(id, payload))
    }
    await worker.ready()
    await using folder = await createFilledFolder({ 'a/SKILL.md': '# A', 'a/run.sh': 'echo' })
    for (const [functionId, ...argv] of [
      ['skills::lint', 'lint'],
      ['skills::files', 'import', folder.path],
    ]) {
      const { code, stderr } = await runCommandLine(argv, { III_URL: engine.url })
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining(`is of an older version, which has no ${functionId}: upgrade it first`),
      ])
    }
    expect(registry.skills.size).toBe(0)
  })

  it('say when the answer is none', async () => {
    const registry = createMemoryRegistry()
    registry.row = { bytes: 'many' }
    registry.skills.set('a', 'x')
    await using stage = await startRegistryStage(startMockEngine, registry)
    expect(await stage.run('list')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'iii-skills: skills::list answered in a shape that this version does not know\n',
    })
  })
})
