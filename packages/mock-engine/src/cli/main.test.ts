import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { startMockEngine } from '../engine.ts'

const PROGRAM = inject('nodeArgs')['packages/mock-engine/src/cli/main.ts']

interface Run {
  readonly process: ChildProcess
  /** Everything it wrote, once it has ended. */
  readonly end: Promise<{ code: number | null; stdout: string; stderr: string }>
  readonly line: Promise<string>
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [...PROGRAM, ...args])
  const written = { stdout: '', stderr: '' }
  let ready: (line: string) => void = () => {}
  const line = new Promise<string>((resolve) => {
    ready = resolve
  })
  child.stdout.on('data', (data) => {
    written.stdout += String(data)
    ready(written.stdout)
  })
  child.stderr.on('data', (data) => {
    written.stderr += String(data)
  })
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }))
  return { process: child, end, line }
}

describe('iii-mock-engine', () => {
  it('says where it listens, serves, and ends at a signal', async () => {
    const engine = run('--port', '0', '--http-port', '0')
    const [, bus, http = ''] = /bus (\S+) http (\S+)/.exec(await engine.line) ?? []
    expect(bus).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(http)).status).toBe(404)
    engine.process.kill('SIGTERM')
    expect(await engine.end).toMatchObject({ code: 0, stderr: '' })
  })

  it('says which port is taken and which flag chooses another', async () => {
    await using taken = await startMockEngine()
    const bus = await run('--port', String(taken.port), '--http-port', '0').end
    expect(bus).toMatchObject({ code: 1, stdout: '' })
    expect(bus.stderr).toMatch(new RegExp(`port ${taken.port} .*--port\n$`))
    const http = await run('--port', '0', '--http-port', String(taken.httpPort)).end
    expect(http.stderr).toMatch(new RegExp(`port ${taken.httpPort} .*--http-port\n$`))
  })

  it('explains itself', async () => {
    const help = await run('--help').end
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const line of [/--data DIR/, /--fault 'RULE'/, /^ {2}lose-result +\S/m]) expect(help.stdout).toMatch(line)
  })

  it('lets go wrong what it is told to, and says so', async () => {
    const flags = ['--port', '0', '--http-port', '0', '--seed', '7', '--fixed']
    const engine = run(...flags, '--fault', 'slow-http ms=0', '--fault=lose-result  times=1 function=orders::*')
    const [, http = ''] = /http (\S+)/.exec(await engine.line) ?? []
    expect(await engine.line).toContain(
      '\niii-mock-engine: faults: slow-http ms=0; lose-result function=orders::* times=1 (seed 7)\n',
    )
    await fetch(http)
    engine.process.kill('SIGTERM')
    expect(await engine.end).toEqual({
      code: 0,
      stdout: await engine.line,
      stderr: 'iii-mock-engine: warn: fault slow-http ms=0 struck\n',
    })
  })

  it('shows what workers log, and nothing that a terminal would obey', async () => {
    const engine = run('--port', '0', '--http-port', '0')
    const [, bus = ''] = /bus (\S+)/.exec(await engine.line) ?? []
    const worker = new WebSocket(bus)
    await once(worker, 'open')
    const data = { message: 'red\u001b[31m\r\u202eb', service_name: 'shop' }
    worker.send(JSON.stringify({ type: 'invokefunction', function_id: 'engine::log::warn', data }))
    await once(engine.process.stderr ?? engine.process, 'data')
    worker.terminate()
    engine.process.kill('SIGTERM')
    expect((await engine.end).stderr).toBe('iii-mock-engine: warn: shop: red\\u{d}\\u{202e}b\n')
  })
})
