import { describe, expect, it } from 'vitest'
import { compareConfigs, toCommandHash } from './compare.ts'
import { keepLastGood } from './last-good.ts'
import { readServers } from './read-servers.ts'
import type { ServerConfig } from './server-config.ts'

const folder = '/srv/mcp'
const read = (entry: unknown) => readServers({ a: entry, b: { command: 'b' } }, { folder })
function configOf(entry: object): ServerConfig {
  const [read] = readServers({ a: { command: 'x', trust: 'unsandboxed', ...entry } }, { folder })
  if (read === undefined || !('config' in read)) throw new Error(JSON.stringify(read))
  return read.config
}
const env = (set: object) => ({ env: { set } })

describe('a changed entry', () => {
  it.each<[string, object, object, string]>([
    ['nothing', env({ A: { env: 'B' } }), env({ A: { env: 'B' } }), 'same'],
    [
      'order of variables',
      env({ A: { env: 'B' }, C: { env: 'D' } }),
      env({ C: { env: 'D' }, A: { env: 'B' } }),
      'same',
    ],
    ['limits', {}, { limits: { tools: 5 } }, 'in_place'],
    ['tools', {}, { tools: { deny: ['x'] } }, 'in_place'],
    ['exposure', {}, { expose: true, tier: 'x', annotations: 'none', operations: true }, 'in_place'],
    ['timeouts', {}, { timeouts: { call_ms: 500 }, concurrency: { calls: 2 }, changed_tools: 'accept' }, 'in_place'],
    ['command', {}, { command: 'y' }, 'restart'],
    ['arguments', {}, { args: ['x'] }, 'restart'],
    ['folder', {}, { cwd: 'x' }, 'restart'],
    ['inherited variables', {}, { env: { inherit: ['A'] } }, 'restart'],
    ['set variables', env({ A: { env: 'B' } }), env({ A: { env: 'C' } }), 'restart'],
    ['trust', {}, { trust: undefined }, 'restart'],
    ['disabled', {}, { disabled: true }, 'restart'],
  ])('of %s', (_, before, after, change) => {
    expect(compareConfigs(configOf(before), configOf(after))).toBe(change)
  })
})

describe('the hash of a command', () => {
  const hash = (entry: object) => toCommandHash(configOf(entry))

  it('is that of what is run', () => {
    expect(hash({})).toMatch(/^[0-9a-f]{64}$/)
    expect(hash({ limits: { tools: 1 }, expose: true })).toBe(hash({}))
    expect(hash(env({ A: { env: 'B' }, C: { value: 'D' } }))).toBe(hash(env({ C: { value: 'D' }, A: { env: 'B' } })))
    const all = [
      {},
      { command: 'y' },
      { args: ['x'] },
      { cwd: 'x' },
      env({ A: { env: 'B' } }),
      env({ A: { file: 'B' } }),
      env({ A: { value: 'B' } }),
      env({ A: { env: 'C' } }),
      env({ A: { file: 'C' } }),
      env({ A: { value: 'C' } }),
      env({ B: { env: 'B' } }),
      { env: { inherit: ['B'] } },
      { env: { inherit: ['A'] } },
    ]
    expect(new Set(all.map(hash)).size).toBe(all.length)
  })
})

describe('an entry that is malformed later', () => {
  const good = { command: 'x', trust: 'unsandboxed' }

  it('leaves the last good one in its place, and says so', () => {
    const kept = keepLastGood(read(good), read({ ...good, limits: { tools: 0 } }))
    expect(kept).toMatchObject([
      {
        name: 'a',
        config: configOf({}),
        warnings: [
          { message: 'servers.a: is malformed now; its last good settings stay until it is mended' },
          { subject: 'servers.a.limits.tools' },
        ],
      },
      { name: 'b', config: { command: 'b' }, warnings: [] },
    ])
    expect(keepLastGood(kept, read({ ...good, args: 5 }))).toMatchObject([{ config: configOf({}) }, {}])
    expect(keepLastGood(kept, read({ ...good, args: ['5'] }))).toMatchObject([
      { config: configOf({ args: ['5'] }), warnings: [] },
      {},
    ])
  })

  it.each([
    { command: 5 },
    { command: 5, trust: 'no' },
    { command: 5, trust: 'unsandboxed', disabled: true },
    { command: 5, trust: 'unsandboxed', disabled: 'yes' },
    null,
  ])('leaves nothing of a server that is not trusted any more, or disabled: %j', (entry) => {
    expect(keepLastGood(read(good), read(entry))[0]).toMatchObject({ name: 'a', problems: expect.anything() })
  })

  it('has nothing to leave where there never was a good one', () => {
    expect(keepLastGood([], read({ ...good, args: 5 }))[0]).toHaveProperty('problems')
    expect(keepLastGood(read({ ...good, args: 5 }), read({ ...good, args: 5 }))[0]).toHaveProperty('problems')
  })
})
