import { spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { describe, expect, inject, it } from 'vitest'

const registry = inject('nodeArgs')['apps/skills-registry/src/main.ts']

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A process, with what it wrote so far. */
function run(args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const written = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text
      for (const watcher of watchers) watcher()
    })
  }
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    exit,
    written,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => child.kill(signal),
    /** Resolves when stderr says `text`. */
    says(text: string) {
      return new Promise<void>((resolve) => {
        const look = () => {
          if (written.stderr.includes(text)) resolve()
        }
        watchers.add(look)
        look()
      })
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'iii-skills-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('the program', () => {
  it('prints its help', async () => {
    await using program = run([...registry, '--help'])
    expect(await program.exit).toBe(0)
    for (const text of [
      '--url',
      '--engine-url',
      '--config',
      '--manifest',
      '--version',
      'scopes.skills',
      'scopes.prompts',
      'import DIR',
      'Exit codes:',
    ]) {
      expect(program.written.stdout).toContain(text)
    }
    expect(program.written.stdout).toMatch(/state_timeout_ms.*10000/s)
  })

  it('prints its version and its manifest', async () => {
    await using version = run([...registry, '--version'])
    await using manifest = run([...registry, '--manifest'])
    expect(await version.exit).toBe(0)
    expect(version.written.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await manifest.exit).toBe(0)
    expect(JSON.parse(manifest.written.stdout)).toMatchObject({
      name: 'skills',
      version: version.written.stdout.trim(),
      description: expect.any(String),
      default_config: { scopes: { skills: 'skills', prompts: 'prompts' }, state_timeout_ms: 10_000 },
    })
  })

  it('names the nearest option for one that does not exist', async () => {
    await using program = run([...registry, '--confg', 'x'])
    expect(await program.exit).toBe(2)
    expect(program.written.stderr).toContain('--config')
    expect(program.written.stdout).toBe('')
  })

  it('serves with the settings of its file, says once that it is ready, and stops on SIGTERM', async () => {
    await using folder = await createFolder()
    const config = join(folder.path, 'skills.yaml')
    await writeFile(config, 'scopes:\n  skills: other\nstate_timeout_ms: 5000\n')
    await using engine = await startMockEngine()
    await using program = run([...registry, '--url', engine.url, '--config', config])
    await program.says('"ready"')
    await using client = registerWorker(engine.url)
    await client.trigger({ function_id: 'skills::register', payload: { id: 'a', skill: '# A' } })
    const rows = await client.trigger({ function_id: 'state::list', payload: { scope: 'other' } })
    expect(rows).toMatchObject([{ id: 'a' }])
    program.stop()
    expect(await program.exit).toBe(0)
    expect(program.written.stdout).toBe('')
    expect(program.written.stderr.match(/"ready"/g)).toHaveLength(1)
  })

  it('answers with line and reason while its file is malformed, and serves once it is mended', async () => {
    await using folder = await createFolder()
    const config = join(folder.path, 'skills.yaml')
    await writeFile(config, 'scopes:\n  skills: other\nstate_timeout_ms: soon\n')
    await using engine = await startMockEngine()
    await using program = run([...registry, '--engine-url', engine.url, '--config', config])
    await program.says('"ready"')
    await using client = registerWorker(engine.url)
    const list = () => client.trigger({ function_id: 'skills::list' }).catch(toFault)
    expect(await list()).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/line 3: .*state_timeout_ms/),
    })
    await writeFile(config, 'scopes:\n  skills: other\n')
    await expect.poll(list, { timeout: 10_000 }).toEqual({ skills: [] })
  })

  it('waits for an engine that is not there yet, and stops while it waits', async () => {
    await using engine = await startMockEngine()
    const { url } = engine
    await engine.close()
    await using program = run([...registry, '--url', url])
    await program.says('engine')
    program.stop('SIGINT')
    expect(await program.exit).toBe(0)
  })
})

describe('the launcher', () => {
  const launcher = fileURLToPath(new URL('../bin/iii-skills.js', import.meta.url))

  /** A package like ours, built or not. */
  async function install(main: string | undefined) {
    const folder = await createFolder()
    await mkdir(join(folder.path, 'bin'))
    await mkdir(join(folder.path, 'bundle'))
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
    await copyFile(launcher, join(folder.path, 'bin/iii-skills.js'))
    if (main !== undefined) await writeFile(join(folder.path, 'bundle/index.mjs'), main)
    return { ...folder, bin: join(folder.path, 'bin/iii-skills.js') }
  }

  it('says what to do when nothing has been built', async () => {
    await using installed = await install(undefined)
    await using program = run([installed.bin])
    expect(await program.exit).toBe(1)
    expect(program.written).toEqual({ stdout: '', stderr: 'not built yet: run `npx pnpm build`\n' })
  })

  it('runs what has been built', async () => {
    await using installed = await install('process.stdout.write(process.argv[2])')
    await using program = run([installed.bin, '--version'])
    expect(await program.exit).toBe(0)
    expect(program.written.stdout).toBe('--version')
  })
})
