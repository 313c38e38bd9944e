import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { BUILT_PROGRAMS, toNodeArgs } from './built.ts'

const BRIDGE = new URL('../apps/mcp-bridge/src/main.ts', import.meta.url)
const LIFELINE = new URL('./lifeline.ts', import.meta.url)
const OTHER = new URL('./official-worker/main.ts', import.meta.url)
const FROM_SOURCE = ['--conditions=@iii/source', '--import', expect.stringMatching(/\/tsx\//)]

describe('a program of this repository', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('runs as the file that was made of it for the run, with what is loaded before it', () => {
    const built = inject('nodeArgs')['apps/mcp-bridge/src/main.ts']
    const lifeline = inject('nodeArgs')['e2e/lifeline.ts'].at(-1)
    expect(toNodeArgs(BRIDGE)).toEqual(built)
    expect(built.at(-1)).toMatch(/\/node_modules\/\.cache\/programs\/\d+\/apps\/mcp-bridge\/src\/main\.mjs$/)
    const preload = ['--import', expect.stringMatching(new RegExp(`${lifeline}$`))]
    expect(toNodeArgs(BRIDGE, { preload: LIFELINE })).toEqual(['--enable-source-maps', ...preload, built.at(-1)])
  })

  it('keeps the places of its sources in it', () => {
    const file = inject('nodeArgs')['apps/mcp-bridge/src/main.ts'].at(-1) ?? ''
    expect(readFileSync(file, 'utf8')).toContain(JSON.stringify(BRIDGE.href))
  })

  it('runs from source when asked, where there is no such file, and where the run is one of another clone', () => {
    const path = fileURLToPath(BRIDGE)
    expect(toNodeArgs(BRIDGE, { fromSource: true })).toEqual([...FROM_SOURCE, path])
    expect(toNodeArgs(OTHER, { preload: LIFELINE })).toEqual([
      ...FROM_SOURCE,
      ...['--import', LIFELINE.href, fileURLToPath(OTHER)],
    ])
    vi.stubEnv(BUILT_PROGRAMS, '/elsewhere/node_modules/.cache/programs/1')
    expect(toNodeArgs(BRIDGE)).toEqual([...FROM_SOURCE, path])
  })

  it('that starts sources itself can do so', () => {
    const built = inject('nodeArgs')['apps/mcp-bridge/src/main.ts']
    expect(toNodeArgs(BRIDGE, { runsSources: true })).toEqual([...FROM_SOURCE, ...built])
  })
})
