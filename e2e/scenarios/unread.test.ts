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
