import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, inject, it, vi } from 'vitest'
import {
  collectOutput,
  createCanaryFolder,
  isThere,
  PATH,
  runProgram,
  toProgram,
  type Wanted,
} from '../testing/run-program.ts'
import type { ProcessGroup } from './index.ts'

const WITHIN = { timeout: 3_000, interval: 10 }

/** A program and one that it starts, both deaf to SIGTERM. Writes the numbers of both. */
const STUBBORN = 'trap "" TERM; sleep 60 & echo $$; echo $!; wait'

describe('a program in a group of its own', () => {
  it('has its arguments, its folder and the environment that it is given, and nothing else', async () => {
    const args = ['-e', 'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env]))', 'a b', '"']
    await using run = await runProgram({ command: process.execPath, args, env: { ONE: '1', a: 'ü\n' } })
    const { ending, stdout, stderr } = await run.end()
    expect(JSON.parse(stdout)).toEqual([['a b', '"'], run.folder, { ONE: '1', a: 'ü\n' }])
    expect({ ending, stderr }).toEqual({ ending: { kind: 'exit', code: 0 }, stderr: '' })
  })

  it('is found on the PATH that it is given, or from its folder', async () => {
    await using run = await runProgram({ command: './own' })
    expect(await run.end()).toMatchObject({ ending: { kind: 'not_started', reason: 'not_found' } })
    const own = join(run.folder, 'own')
    await writeFile(own, '#!/bin/sh\necho here\n')
    await chmod(own, 0o755)
    for (const program of [{ command: './own' }, { command: 'own', env: { PATH: run.folder } }]) {
      await using found = await runProgram({ ...program, cwd: run.folder })
      expect((await found.end()).stdout).toBe('here\n')
    }
  })

  it('has no descriptor but its three', async () => {
    await using run = await runProgram({ shell: 'for fd in 3 4 5 6 7 8 9; do (: <&$fd) 2>&- && echo $fd; done; true' })
    expect(await run.end()).toMatchObject({ ending: { kind: 'exit', code: 0 }, stdout: '' })
  })

  it('gets every byte of its input and its end, and everything that it writes comes out', async () => {
    await using run = await runProgram({ command: 'cat' })
    const sent = createHash('sha256')
    const got = createHash('sha256')
    const block = randomBytes(1024 * 1024)
    let bytes = 0
    run.group.stdout.removeAllListeners('data').setEncoding('latin1')
    run.group.stdout.on('data', (chunk: string) => {
      bytes += chunk.length
      got.update(chunk, 'latin1')
    })
    function* blocks() {
      for (let nth = 0; nth < 32; nth++) {
        sent.update(block)
        yield block
      }
    }
    await pipeline(Readable.from(blocks()), run.group.stdin)
    expect(await run.group.ended).toEqual({ kind: 'exit', code: 0 })
    expect(bytes).toBe(32 * block.length)
    expect(got.digest('hex')).toBe(sent.digest('hex'))
  })

  it('is heard closing its output while it goes on', async () => {
    await using run = await runProgram({ shell: 'exec >&-; read line; exit 4' })
    await once(run.group.stdout, 'end')
    expect(run.group.isRunning).toBe(true)
    run.group.stdin.write('go on\n')
    expect(await run.group.ended).toEqual({ kind: 'exit', code: 4 })
    expect(run.group.isRunning).toBe(false)
  })

  it('has a supervisor that shows nothing of it among the processes', async () => {
    await using run = await runProgram({ shell: 'echo; read line', env: { PATH, TOKEN: 'abc-secret' } })
    await run.stdout.lines(1)
    const { group } = run
    expect(readFileSync(`/proc/${group.pid}/cmdline`, 'utf8').replace(/\0+$/, '')).toBe('iii-supervisor')
    expect(readFileSync(`/proc/${group.pid}/environ`, 'utf8')).toBe('')
  })
})

describe('the end of a program', () => {
  it.each<[string, Wanted, object]>([
    ['its exit code', { shell: 'exit 7' }, { kind: 'exit', code: 7 }],
    ['a code over 128', { shell: 'exit 137' }, { kind: 'exit', code: 137 }],
    ['a signal', { shell: 'kill -USR2 $$' }, { kind: 'signal', signal: 'SIGUSR2' }],
    [
      'a command that is not there',
      { command: 'no-such-program' },
      {
        kind: 'not_started',
        reason: 'not_found',
        message: 'there is no program no-such-program, or not what its first line names',
      },
    ],
    ['a command below a file', { command: './canary/program' }, { kind: 'not_started', reason: 'not_found' }],
    [
      'a file that may not be run',
      { command: './canary' },
      {
        kind: 'not_started',
        reason: 'not_executable',
        message: './canary is no program that may be run (EACCES)',
      },
    ],
    ['a folder that is no program', { command: '/' }, { kind: 'not_started', reason: 'not_executable' }],
    [
      'a folder to run in that is not there',
      { cwd: '/no/such/folder' },
      { kind: 'not_started', reason: 'cwd_missing', message: 'there is no folder /no/such/folder (ENOENT)' },
    ],
    [
      'a folder to run in that is a file',
      { cwd: '/etc/passwd' },
      { kind: 'not_started', reason: 'cwd_missing', message: '/etc/passwd is no folder' },
    ],
    [
      'arguments that no program takes, without them',
      { args: ['token=abc\0'] },
      { kind: 'not_started', reason: 'other', message: 'cat was not started (ERR_INVALID_ARG_VALUE)' },
    ],
    [
      'a Node that is not there',
      { node: '/no/such/node' },
      { kind: 'not_started', reason: 'other', message: 'no supervisor was started: spawn /no/such/node ENOENT' },
    ],
    [
      'a Node that is none',
      { node: '/bin/false' },
      { kind: 'not_started', reason: 'other', message: 'its supervisor ended with exit code 1' },
    ],
  ])('is told with %s, and removes nothing', async (_, wanted, expected) => {
    await using run = await runProgram(wanted)
    expect(await run.end()).toMatchObject({ ending: expected, stdout: '', stderr: '' })
    expect(run.group.isRunning).toBe(false)
    expect(existsSync(run.canary)).toBe(true)
  })

  it('is that of all that it started', async () => {
    await using run = await runProgram({ shell: 'trap "" TERM; sleep 60 & echo $!; exit 3' })
    const { ending, stdout } = await run.end()
    expect(ending).toEqual({ kind: 'exit', code: 3 })
    expect(isThere(Number(stdout))).toBe(false)
  })

  it.each<[string, string, (group: ProcessGroup) => Promise<void> | void]>([
    ['stopped', STUBBORN, (group) => group.stop({ graceMs: 50 })],
    ['told to end', 'echo $$; echo; exec sleep 60', (group) => group.tell('SIGTERM')],
    ['left by its supervisor', STUBBORN, ({ pid = 0 }) => void process.kill(pid, 'SIGKILL')],
  ])('is that of a group of its own, as `timeout` makes one, where it is %s', async (_, shell, end) => {
    await using run = await runProgram({ command: 'timeout', args: ['60', 'sh', '-c', shell] })
    const pids = (await run.stdout.lines(2)).filter((line) => line !== '').map(Number)
    await vi.waitFor(() => expect(run.group.programPid).toBeGreaterThan(0), WITHIN)
    await end(run.group)
    await run.group.ended
    expect(pids.filter(isThere)).toEqual([])
  })

  it('is that of all that it started also where its supervisor was killed', async () => {
    await using run = await runProgram({ shell: STUBBORN })
    const pids = (await run.stdout.lines(2)).map(Number)
    process.kill(run.group.pid ?? 0, 'SIGKILL')
    expect(await run.group.ended).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect(pids.filter(isThere)).toEqual([])
  })

  it('waits for nobody who left the group and holds its pipes open', async () => {
    await using run = await runProgram({
      command: process.execPath,
      args: [
        '-e',
        `const { pid } = require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' })
         console.log(pid)
         process.exit(0)`,
      ],
    })
    const { ending, stdout } = await run.end()
    expect(ending).toEqual({ kind: 'exit', code: 0 })
    process.kill(Number(stdout), 'SIGKILL')
  })

  it('removes the folder that it is told to', async () => {
    const removes = await createCanaryFolder()
    await using run = await runProgram({ shell: 'mkdir -p a/b; echo > a/b/c', cwd: removes, removes })
    expect(await run.group.ended).toEqual({ kind: 'exit', code: 0 })
    expect(existsSync(removes)).toBe(false)
    expect(existsSync(run.canary)).toBe(true)
  })
})

describe('a program that is stopped', () => {
  it('hears the end of its input first', async () => {
    await using run = await runProgram({ shell: 'read line; exit 5' })
    await run.group.stop({ graceMs: 20_000 })
    expect(await run.group.ended).toEqual({ kind: 'exit', code: 5 })
  })

  it('is told to end when it does not listen, and ended when it does not obey', async () => {
    await using polite = await runProgram({ shell: 'trap "exit 6" TERM; echo; while :; do sleep 0.02; done' })
    await using stubborn = await runProgram({ shell: STUBBORN })
    await polite.stdout.lines(1)
    const pids = (await stubborn.stdout.lines(2)).map(Number)
    await Promise.all([polite, stubborn].map(({ group }) => group.stop({ graceMs: 200 })))
    expect(await polite.group.ended).toEqual({ kind: 'exit', code: 6 })
    expect(await stubborn.group.ended).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect(pids.filter(isThere)).toEqual([])
  })

  it('is told at once when its input has ended already, and sooner when it is stopped again', async () => {
    await using run = await runProgram({ shell: STUBBORN })
    await run.stdout.lines(2)
    run.group.stdin.end()
    const stopped = run.group.stop({ graceMs: 20_000 })
    await run.group.stop({ graceMs: 0 })
    await stopped
    expect(await run.group.ended).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    await run.group.stop({ graceMs: 20_000 })
    run.group.tell('SIGTERM')
  })

  it('hears signals with all that it started, which leave its supervisor as it is', async () => {
    await using run = await runProgram({ shell: 'trap "echo heard" USR1; echo; while :; do sleep 0.02; done' })
    await run.stdout.lines(1)
    run.group.tell('SIGUSR1')
    expect(await run.stdout.lines(2)).toEqual(['', 'heard'])
    expect(run.group.isRunning).toBe(true)
  })
})

describe('where its owner may open no more files', () => {
  it('is not started, which is said at once and costs nobody else anything', async () => {
    const program = inject('nodeArgs')['packages/sdk/src/testing/without-files.ts']
    const node = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath]
    const started = spawn('sh', [...node, ...program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const output = collectOutput(started.stdout)
    expect(await once(started, 'close')).toEqual([0, null])
    expect(await output.lines(1)).toEqual([expect.stringContaining('raise the limit of open files')])
  })
})

describe('when its owner is killed', () => {
  const owner = inject('nodeArgs')['packages/sdk/src/testing/group-owner.ts']

  it.each([
    ['one that obeys', 'echo $$; echo; exec sleep 60', false],
    ['one that is deaf to SIGTERM', STUBBORN, false],
    ['one with a folder that is to be removed', 'echo $$; echo; exec sleep 60', true],
    ['one in a group of its own', `exec timeout 60 sh -c '${STUBBORN}'`, false],
  ])('%s ends with all that it started', async (_, shell, removed) => {
    const folder = await createCanaryFolder()
    const program = toProgram({ shell, ...(removed && { removes: folder }) }, folder)
    const started = spawn(process.execPath, [...owner, JSON.stringify(program)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const pids = (await collectOutput(started.stdout).lines(3)).filter((line) => line !== '').map(Number)
    expect(pids.filter(isThere)).toEqual(pids)
    started.kill('SIGKILL')
    await vi.waitFor(() => expect(pids.filter(isThere)).toEqual([]), WITHIN)
    expect(existsSync(join(folder, 'canary'))).toBe(!removed)
    await rm(folder, { recursive: true, force: true })
  })
})
