import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { runCommandLine, startRegistryStage } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { createMemoryRegistry } from '../testing/memory-registry.ts'
import { COMMANDS } from './commands.ts'
import { commands } from './run.ts'

describe('a command line', () => {
  it.each([
    [[], false],
    [['--url', 'ws://x'], false],
    [['--debug', '--config', 'list'], false],
    [['list'], true],
    [['lst'], true],
    [['--url', 'ws://x', 'list'], true],
    [['--url=ws://x', '--json', 'prompts', 'list'], true],
    [['--help'], false],
    [['--url', 'list', '--help'], false],
  ])('%j is for a command: %j', (argv, expected) => {
    expect(commands.isCommand(argv)).toBe(expected)
  })

  it.each([
    ['lst', 'unknown command lst; did you mean list?', 'iii-skills'],
    ['prompts lst', 'unknown command prompts lst; did you mean prompts list?', 'iii-skills'],
    ['prompts', 'prompts needs a command: prompts list or prompts remove', 'iii-skills'],
    [
      'nonsense',
      'unknown command nonsense; there are list, read, remove, export, import, lint, prompts, doctor',
      'iii-skills',
    ],
    ['list --jsn', 'unknown option --jsn; did you mean --json?', 'iii-skills list'],
    ['prompts remove --jsn', 'unknown option --jsn; did you mean --json?', 'iii-skills prompts remove'],
    ['list --force', 'list knows no --force', 'iii-skills list'],
    ['list --fresh-index', 'list knows no --fresh-index', 'iii-skills list'],
    ['list --manifest', '--manifest goes without a command', 'iii-skills list'],
    ['list --exact-name', '--exact-name goes without a command', 'iii-skills list'],
    ['list --reattach-file=last', '--reattach-file goes without a command', 'iii-skills list'],
    ['list a b', "list takes [PREFIX] and no more: 'b' is too much", 'iii-skills list'],
    ['read', 'read needs ID', 'iii-skills read'],
    ['remove', 'remove needs ID…', 'iii-skills remove'],
    ['import a b', "import takes DIR and no more: 'b' is too much", 'iii-skills import'],
    ['list --url', '--url needs a value', 'iii-skills list'],
    ['list --url x', "'x' is not the address of an engine; write it like ws://127.0.0.1:49134", 'iii-skills list'],
  ])("'%s' is wrong usage", async (line, problem, command) => {
    expect(await runCommandLine(line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `iii-skills: ${problem}\nTry '${command} --help'.\n`,
    })
  })

  it('may name the engine anywhere, and by the environment', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'x' }))
    const { url } = stage.engine
    expect((await runCommandLine(['--url', url, 'list', '--json'])).code).toBe(0)
    expect((await runCommandLine(['list', '--engine-url', url])).code).toBe(0)
    expect((await runCommandLine(['list'], { III_ENGINE_URL: url })).code).toBe(0)
    const ofWorkers = { III_EXACT_NAME: 'true', III_REATTACH_FILE: 'last' }
    expect((await runCommandLine(['list', '--url', url], ofWorkers)).code).toBe(0)
    expect((await runCommandLine(['list', '--url', url], { III_URL: 'ws://127.0.0.1:9' })).code).toBe(0)
  })
})

describe('the help', () => {
  it.each(COMMANDS)('of $name names its flags, where the engine is found and the exit codes', async ({ name }) => {
    const { code, stdout } = await runCommandLine([...name.split(' '), '--help'])
    expect(code).toBe(0)
    for (const text of [`Usage: iii-skills ${name}`, '--json', '--url', 'III_URL', '--config', '  4  no engine']) {
      expect(stdout).toContain(text)
    }
    expect(stdout).not.toContain('--manifest')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it('of the word that several begin with names them', async () => {
    const { code, stdout, stderr } = await runCommandLine(['prompts', '--help'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage: iii-skills prompts COMMAND \[options\]\n\nCommands:\n {2}prompts list /)
    for (const text of ['  prompts remove NAME', 'iii-skills prompts list --help', '  4  no engine']) {
      expect(stdout).toContain(text)
    }
  })

  it('has a version beside it', async () => {
    expect(await runCommandLine(['list', '--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  })
})

describe('what cannot be reached', () => {
  it('is named within seconds: the engine', async () => {
    const engine = await startMockEngine()
    await engine.close()
    const startedAt = performance.now()
    const { code, stdout, stderr } = await runCommandLine([
      'list',
      '--url',
      engine.url.replace('ws://', 'ws://user:secret@'),
    ])
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(`no engine answers at ${engine.url.replace(/\/$/, '')} (connect ECONNREFUSED`)
    expect(stderr).toContain('--url or III_URL')
    expect(stderr).not.toContain('secret')
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })

  it('is named at once: the registry', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFilledFolder({ 'a.md': 'x' })
    for (const argv of [['list'], ['read', 'a'], ['remove', 'a'], ['import', folder.path], ['prompts', 'list']]) {
      const { code, stderr } = await runCommandLine(argv, { III_URL: engine.url })
      expect([argv, code]).toEqual([argv, 4])
      expect(stderr).toContain('there is no skills registry on the engine at ws://127.0.0.1:')
      expect(stderr).toContain('start one with iii-skills --url ws://')
    }
  })

  it('is a configuration file that is malformed', async () => {
    await using stage = await startRegistryStage(startMockEngine, createMemoryRegistry({ a: 'x' }))
    await using folder = await createFilledFolder({
      'bad.yaml': 'state_timeout_ms: soon\n',
      'good.yaml': 'state_timeout_ms: 60000\n',
    })
    const bad = await stage.run('list', '--config', join(folder.path, 'bad.yaml'))
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringMatching(/bad\.yaml: line 1: state_timeout_ms/)])
    expect((await stage.run('list', '--config', join(folder.path, 'good.yaml'))).code).toBe(0)
    expect((await stage.run('list', '--config', join(folder.path, 'none.yaml'))).code).toBe(2)
  })
})
