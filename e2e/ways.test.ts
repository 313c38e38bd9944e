import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { countWay, formatWay, parseWay } from './ways/list.ts'
import { type FilesByProcess, REQUESTS, type WalkedMethod, walkWays } from './ways/walk.ts'

const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
const methods = Object.keys(REQUESTS) as WalkedMethod[]

describe('docs/architecture.md', () => {
  let ways: Awaited<ReturnType<typeof walkWays>>
  beforeAll(async () => {
    ways = await walkWays()
  }, 120_000)

  it.each(methods)('shows the files that %s enters, each time that it is called', (method) => {
    const shown = parseWay(page, method)
    expect(formatWay(shown ?? NOWHERE)).toBe(formatWay(ways[method].files))
  })

  it.each(methods)('%s has a short way: at most 30 files of an app, and 20 of SDK and protocol', (method) => {
    for (const files of Object.values(ways[method].files)) {
      const { 'packages/sdk': sdk = 0, 'packages/protocol': protocol = 0, ...apps } = countWay(files)
      expect(Math.max(0, ...Object.values(apps))).toBeLessThanOrEqual(30)
      expect(sdk + protocol).toBeLessThanOrEqual(20)
    }
  })

  it.each(methods)('%s has one way: no room calls another one that calls it back', (method) => {
    expect(ways[method].returns).toEqual(NOWHERE)
  })
})

const NOWHERE: FilesByProcess = { bridge: [], registry: [] }
