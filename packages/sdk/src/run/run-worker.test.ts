import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, inject, it } from 'vitest'

const fixture = inject('nodeArgs')['packages/sdk/src/testing/fixture-worker.ts']
const workspace = fileURLToPath(new URL('../../../../', import.meta.url))

interface Run {
  process: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves when the log holds a line with this message. */
  logged(message: string): Promise<Record<string, unknown>>
  exit: Promise<number | null>
}

function run(argv: string[], options: { env?: Record<string, string>; mode?: string; stdout?: number } = {}): Run {
  const settings = JSON.stringify({ argv, env: options.env ?? {}, mode: options.mode ?? '' })
  const stdio: StdioOptions = ['pipe', options.stdout ?? 'pipe', 'pipe']
  const child = spawn(process.execPath, [...fixture, settings], { cwd: workspace, stdio })
  const log = child.stderr as Readable
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => {
    stdout += data
  })
  log.on('data', (data) => {
    stderr += data
  })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    async logged(message) {
      for (;;) {
        const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
        const line = lines.map((text) => JSON.parse(text) as Record<string, unknown>).find(({ msg }) => msg === message)
        if (line !== undefined) return line
        const ended = await Promise.race([once(log, 'data'), exit.then(() => 'ended')])
        if (ended === 'ended' && !stderr.includes(message)) throw new Error(`never logged '${message}':\n${stderr}`)
      }
    },
  }
}

/** Where nothing listens. */
const UNREACHED =
  'the engine cannot be reached; trying again until it answers. Nothing listens there: start the engine, or one for development with npx @iii/mock-engine --port 9'

describe('what a worker process prints', () => {
  it('is help, version and manifest when asked, and nothing else', async () => {
    const [help, version, manifest] = [run(['--help']), run(['--version']), run(['--manifest'])]
    expect(await Promise.all([help.exit, version.exit, manifest.exit])).toEqual([0, 0, 0])
    expect(help.stdout()).toContain('Usage: iii-fixture [options]')
    expect(version.stdout()).toBe('1.2.3\n')
    expect(JSON.parse(manifest.stdout())).toMatchObject({
      name: 'fixture',
      version: '1.2.3',
      description: 'Sells things',
      default_config: { amount: 1, scopes: { orders: 'orders' }, hidden_prefixes: [] },
      supported_targets: expect.arrayContaining(['x86_64-unknown-linux-gnu', 'aarch64-apple-darwin']),
    })
    expect([help, version, manifest].map(({ stderr }) => stderr())).toEqual(['', '', ''])
  })

  it('may be read in part, as by head, and is missed where it cannot be written', async () => {
    const read = run(['--help'])
    read.process.stdout?.destroy()
    expect([await read.exit, read.stderr()]).toEqual([0, ''])
    const unwritable = openSync(fileURLToPath(import.meta.url), 'r')
    const lost = run(['--help'], { stdout: unwritable })
    closeSync(unwritable)
    expect([await lost.exit, lost.stderr()]).toEqual([
      1,
      expect.stringMatching(/^iii-fixture: the output could not be written: \S.*\n$/),
    ])
  })

  it('is an explanation on stderr for what it does not understand, with exit code 2', async () => {
    const runs = [run(['--amuont', '5']), run(['--url', 'localhost:1']), run([], { env: { AMOUNT: 'many' } })]
    expect(await Promise.all(runs.map(({ exit }) => exit))).toEqual([2, 2, 2])
    const [flag, url, variable] = runs.map(({ stderr }) => stderr())
    expect(flag).toBe("iii-fixture: unknown option --amuont; did you mean --amount?\nTry 'iii-fixture --help'.\n")
    expect(url).toContain("'localhost:1' is not the address of an engine; write it like ws://127.0.0.1:49134")
    expect(variable).toContain("AMOUNT: must be a number, not a string ('many')")
    expect(runs.map(({ stdout }) => stdout())).toEqual(['', '', ''])
  })

  it('is the same for flags and environment that do not go together, unless only help is asked for', async () => {
    const flags = ['--amount', '-1', '--hidden-prefix', 'a']
    const runs = [run(flags), run(flags.slice(2), { env: { AMOUNT: '-1' } }), run([...flags, '--help'])]
    expect(await Promise.all(runs.map(({ exit }) => exit))).toEqual([2, 2, 0])
    const usage = "cannot go together\nTry 'iii-fixture --help'.\n"
    expect(runs.map(({ stderr }) => stderr())).toEqual([
      `iii-fixture: --amount and --hidden-prefix ${usage}`,
      `iii-fixture: AMOUNT (environment) and --hidden-prefix ${usage}`,
      '',
    ])
  })

  it('is never anything on stdout while it serves, connects, fails and stops', async () => {
    await using engine = await startMockEngine()
    const worker = run(['--debug'], { env: { III_ENGINE_URL: engine.url, III_WORKER_NAME: 'shop' } })
    expect(await worker.logged('ready')).toMatchObject({
      name: 'shop',
      url: engine.url,
      functions: ['fixture::settings', 'fixture::throws'],
    })
    await expect(engine.call('fixture::throws')).rejects.toThrow('boom')
    await expect(engine.call('engine::workers::list')).resolves.toMatchObject({
      workers: expect.arrayContaining([expect.objectContaining({ name: 'shop', version: '1.2.3' })]),
    })
    worker.process.kill('SIGTERM')
    expect(await worker.exit).toBe(0)
    expect(worker.stdout()).toBe('')
    expect(worker.stderr()).toContain('stopping')
  })
})

describe('a worker process', () => {
  it('takes 8 MiB for what was just made, or what its start took, however many calls leave something behind', async () => {
    await using engine = await startMockEngine()
    const worker = run(['--url', engine.url], { mode: 'wasteful' })
    try {
      await worker.logged('ready')
      const sizes: unknown[] = []
      while (sizes.length < 200) sizes.push(await engine.call('fixture::waste'))
      expect(Math.max(...sizes.map(Number))).toBeLessThanOrEqual(Math.max(Number(sizes[0]), 8 * 2 ** 20))
    } finally {
      worker.process.kill('SIGTERM')
      await worker.exit
    }
  })

  it('takes flags over environment over file over defaults, and a mended file without a restart', async () => {
    await using engine = await startMockEngine()
    const file = join(tmpdir(), `iii-sdk-test-${process.pid}.yaml`)
    await writeFile(file, 'amount: much\n')
    const worker = run(['--url', engine.url, '--config', file, '--hidden-prefix=a,b'], {
      env: { III_URL: 'ws://nowhere:1' },
    })
    try {
      const locked = { file, reason: 'line 1: amount: must be a number, not a string' }
      expect(await worker.logged('ready')).toMatchObject({ locked })
      expect(await engine.call('fixture::settings')).toMatchObject({ amount: 1, locked })
      await writeFile(file, '- scopes:\n    orders: elsewhere\n  amount: 7\n  hidden_prefixes: [x]\n')
      await expect
        .poll(() => engine.call('fixture::settings'), { timeout: 10_000 })
        .toEqual({ amount: 7, stateScope: 'elsewhere', hiddenPrefixes: ['a', 'b'], locked: null })
      worker.process.kill('SIGINT')
      expect(await worker.exit).toBe(0)
    } finally {
      await rm(file)
    }
  })

  it('logs what others have written so that a terminal shows it and does nothing else', async () => {
    const file = join(tmpdir(), `iii-sdk-test-${process.pid}-key.yaml`)
    await writeFile(file, '"a\u009b31m": 1\n')
    const worker = run(['--url', 'ws://127.0.0.1:9', '--config', file])
    try {
      await worker.logged('the configuration file cannot be used; nothing is served until it is mended')
      await worker.logged(UNREACHED)
      expect(worker.stderr()).toContain('a\\u009b31m')
      expect(worker.stderr()).not.toContain('\u009b')
      worker.process.kill('SIGINT')
      expect(await worker.exit).toBe(0)
    } finally {
      await rm(file)
    }
  })

  it('stops when there is nothing left to do, also before there is an engine', async () => {
    const worker = run(['--url', 'ws://127.0.0.1:9'], { mode: 'over' })
    expect(await worker.logged('stopping')).toMatchObject({ reason: 'done' })
    expect(await worker.exit).toBe(0)
  })

  it('waits for an engine that is not there, and stops at once when told to', async () => {
    const worker = run(['--url', 'ws://127.0.0.1:9'])
    expect(await worker.logged(UNREACHED)).toMatchObject({
      level: 40,
    })
    worker.process.kill('SIGINT')
    expect(await worker.exit).toBe(0)
    expect(worker.stderr()).not.toContain('"ready"')
  })

  it('stops within two seconds when something hangs, and at once at the second signal', async () => {
    await using engine = await startMockEngine()
    const [patient, hasty] = [
      run(['--url', engine.url], { mode: 'hangs' }),
      run(['--url', engine.url], { mode: 'hangs' }),
    ]
    await Promise.all([patient.logged('ready'), hasty.logged('ready')])
    const startedAt = performance.now()
    patient.process.kill('SIGTERM')
    hasty.process.kill('SIGTERM')
    await hasty.logged('stopping')
    hasty.process.kill('SIGTERM')
    expect(await hasty.exit).toBe(143)
    expect(await patient.exit).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(2_000 * 5)
    expect(patient.stderr()).toContain('not everything stopped within')
  })

  it('says why it cannot start', async () => {
    const worker = run(['--url', 'ws://127.0.0.1:9'], { mode: 'broken' })
    expect(await worker.exit).toBe(1)
    expect(await worker.logged('cannot start')).toMatchObject({ reason: 'nothing to sell' })
    expect(worker.stdout()).toBe('')
  })

  it('has a name that fits what it is: of the server, of one of many, of whoever started it', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    const names: string[] = []
    engine.onFrame(({ frame }) => {
      const { type, function_id: id, data } = frame as { type: string; function_id?: string; data?: { name: string } }
      if (type === 'invokefunction' && id === 'engine::workers::register') names.push(data?.name ?? '')
    })
    const all = [
      run(['--url', engine.url]),
      run(['--url', engine.url], { mode: 'many' }),
      run(['--url', engine.url], { mode: 'many', env: { III_WORKER_NAME: 'theirs' } }),
    ]
    await Promise.all(all.map((worker) => worker.logged('ready')))
    expect(names.sort()).toEqual(['fixture', expect.stringMatching(/^fixture-many-[0-9a-f]{8}$/), 'theirs'])
    const exact = run(['--url', engine.url, '--exact-name'])
    expect(await exact.logged('the engine refused this worker; trying again')).toMatchObject({
      reason: expect.stringContaining("has the name 'fixture' in namespace 'default' already"),
    })
    const second = run(['--url', engine.url])
    await second.logged('ready')
    expect(names).toContainEqual(expect.stringMatching(/^fixture-[0-9a-f]{8}$/))
    for (const { process: child } of [...all, exact, second]) child.kill('SIGKILL')
  })

  it('says of a namespace that it is unusual, and that the engine has none', async () => {
    await using engine = await startMockEngine()
    const worker = run(['--url', engine.url, '--namespace', 'Orders'])
    const none =
      "this engine has no namespaces: what is meant for 'Orders' is where everything else is. Use engine 0.23, or leave the namespace out"
    expect(await worker.logged(none)).toMatchObject({ namespace: 'Orders' })
    expect(worker.stderr()).toContain("the namespace 'Orders' has more than small letters")
    worker.process.kill('SIGKILL')
  })

  it('ends well when serve has returned what it registered last', async () => {
    await using engine = await startMockEngine()
    const worker = run(['--url', engine.url], { mode: 'arrow' })
    await worker.logged('ready')
    worker.process.kill('SIGTERM')
    expect(await worker.exit).toBe(0)
    expect(worker.stderr()).not.toContain('stopping failed')
  })

  it('ends when its work is done', async () => {
    await using engine = await startMockEngine()
    const worker = run(['--url', engine.url], { mode: 'done' })
    expect(await worker.exit).toBe(0)
    expect(await worker.logged('stopping')).toMatchObject({ reason: 'done' })
  })
})
