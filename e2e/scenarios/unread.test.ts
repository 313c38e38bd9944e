import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { toNodeArgs } from '../built.ts'
import { startChild } from '../child.ts'
import { scenario } from '../scenario.ts'

/** All programs that are published, by what they are called. */
const PROGRAMS = {
  'iii-mcp': 'apps/mcp-bridge/src/main.ts',
  'iii-skills': 'apps/skills-registry/src/main.ts',
  'iii-runs': 'apps/run-records/src/main.ts',
  'iii-mcp-client': 'apps/mcp-client/src/main.ts',
  'iii-mock-engine': 'packages/mock-engine/src/cli/main.ts',
  'iii-pack-worker': 'packages/pack-worker/src/cli.ts',
  'create-iii-worker': 'packages/create-worker/src/main.ts',
}

const programs = Object.entries(PROGRAMS).map(([name, path]) => ({
  name,
  entry: new URL(`../../${path}`, import.meta.url),
}))

scenario(['commands/unread'], 'help that nobody reads ends every program well', async () => {
  const ended = programs.map(async ({ name, entry }) => {
    await using child = startChild({ name, entry, args: ['--help'] })
    child.stopReading()
    expect([name, await child.exited, child.stderr]).toEqual([name, { code: 0, signal: null }, []])
  })
  await Promise.all(ended)
})

scenario(['commands/unread'], 'help that cannot be written is a failure of every program, which says so', async () => {
  const ended = programs.map(async ({ name, entry }) => {
    const closed = openSync('/dev/null', 'r')
    const child = spawn(process.execPath, [...toNodeArgs(entry), '--help'], { stdio: ['ignore', closed, 'pipe'] })
    closeSync(closed)
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')])
    expect([said, code]).toEqual([
      expect.stringMatching(`^${name}: the output could not be written: EBADF[^\n]*\n$`),
      1,
    ])
  })
  await Promise.all(ended)
})

/** A program whose stderr cannot be written, by anybody. */
function startUntold(entry: URL, args: readonly string[], stdout: 'ignore' | 'pipe' = 'ignore') {
  const closed = openSync('/dev/null', 'r')
  const child = spawn(process.execPath, [...toNodeArgs(entry), ...args], { stdio: ['ignore', stdout, closed] })
  closeSync(closed)
  return child
}

scenario(['commands/unread'], 'what is wrong has its exit code where nobody can be told', async () => {
  const ended = programs.map(async ({ name, entry }) => {
    expect([name, await once(startUntold(entry, ['--nonsense']), 'close')]).toEqual([name, [2, null]])
  })
  await Promise.all(ended)
})

scenario(['commands/unread'], 'an engine whose warnings cannot be written runs on', async () => {
  const args = ['--port', '0', '--http-port', '0', '--fault', 'slow-http ms=0']
  const child = startUntold(new URL('../../packages/mock-engine/src/cli/main.ts', import.meta.url), args, 'pipe')
  const [line] = await once(child.stdout as Readable, 'data')
  const [, http = ''] = /http (\S+)/.exec(String(line)) ?? []
  for (const _ of [1, 2]) expect((await fetch(http)).status).toBe(404)
  child.kill()
  expect(await once(child, 'close')).toEqual([0, null])
})
