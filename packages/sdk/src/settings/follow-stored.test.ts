import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MockEngine, type MockEngineOptions, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Given, OptionRules } from '../options/given.ts'
import type { AnyOptionTable } from '../options/option-table.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { followStored, type StoredSettingsOptions } from './follow-stored.ts'
import { startSettings } from './settings.ts'

interface Options {
  limit: number
  strict: boolean
  prefixes: readonly string[]
  scope: string
}

const rules: OptionRules<Options> = {
  options: {
    limit: { yaml: 'limit', schema: z.int().min(1), default: 1, stored: 'any', describe: 'How much.' },
    strict: {
      yaml: 'strict',
      schema: z.boolean(),
      default: false,
      stored: (ours, stored) => ours || stored,
      describe: 'Less.',
    },
    prefixes: {
      yaml: 'prefixes',
      schema: z.array(z.string()),
      default: [],
      stored: (ours, stored) => [...stored, ...ours.filter((one) => !stored.includes(one))],
      describe: 'What to hide.',
    },
    scope: { yaml: 'scope', schema: z.string(), default: 'default', describe: 'Where it lies.' },
  },
}
const table = rules.options as unknown as AnyOptionTable
const DEFAULTS: Options = { limit: 1, strict: false, prefixes: [], scope: 'default' }

const env = (name: keyof Options, value: unknown): [string, Given] => [
  name,
  { value, from: 'environment', name: `III_SHOP_${name.toUpperCase()}` },
]

interface Scene extends Partial<StoredSettingsOptions> {
  url?: string | undefined
  fixed?: [string, Given][]
  /** Text of the file. */
  text?: string
}

/** A worker as the engine has started it. */
async function start(engine: MockEngine, { url = engine.url, fixed = [], text, ...more }: Scene = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'iii-stored-'))
  const file = join(folder, 'config.yaml')
  if (text !== undefined) await writeFile(file, text)
  const log = createRecordedLog()
  const settings = startSettings(rules, { fixed: new Map(fixed), file: text === undefined ? undefined : file }, log, 20)
  const worker = registerWorker(url, { name: 'shop', log: createRecordedLog() })
  const stored = followStored({
    worker,
    settings,
    table,
    id: 'shop',
    name: 'shop',
    description: 'Sells.',
    log,
    ...more,
  })
  await stored.settled
  return {
    log,
    settings,
    worker,
    write: (next: string) => writeFile(file, next),
    counts: (expected: Partial<Options>) =>
      vi.waitFor(() => expect(settings.value).toEqual({ ...DEFAULTS, ...expected }), { timeout: 5_000, interval: 5 }),
    says: (level: 'warn' | 'error', message: string) =>
      vi.waitFor(() => expect(log.messages(level)).toContain(message), { timeout: 5_000, interval: 5 }),
    async [Symbol.asyncDispose]() {
      stored.stop()
      settings.stop()
      await worker.shutdown()
      await rm(folder, { recursive: true })
    },
  }
}

const call = <Result>(engine: MockEngine, operation: string, payload: object) =>
  engine.call(`configuration::${operation}`, payload) as Promise<Result>
const get = async (engine: MockEngine) => (await call<{ value: unknown }>(engine, 'get', { id: 'shop' })).value
const set = (engine: MockEngine, value: unknown) => call(engine, 'set', { id: 'shop', value })
/** As somebody may, by hand or with another schema. */
const force = (engine: MockEngine, value: unknown) =>
  call(engine, 'register', { id: 'shop', name: 'shop', description: '', schema: {}, initial_value: value })
const silent: MockEngineOptions = { log: () => {} }

describe('the settings that the engine keeps', () => {
  it('are registered with a schema, seeded with environment and file', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { fixed: [env('strict', true)], text: 'limit: 7\nscope: file\n' })
    expect(it.settings.value).toEqual({ limit: 7, strict: true, prefixes: [], scope: 'file' })
    expect(await get(engine)).toEqual({ limit: 7, strict: true })
    expect(await call(engine, 'schema', { id: 'shop' })).toMatchObject({
      name: 'shop',
      description: 'Sells.',
      schema: { properties: { limit: { title: 'Limit', default: 1 }, strict: {}, prefixes: {} } },
    })
    expect(it.log.lines).toEqual([])
  })

  it('count from then on, before environment and file, and a change without a restart', async () => {
    await using engine = await startMockEngine(silent)
    {
      await using first = await start(engine, { fixed: [env('limit', 3)] })
      const changed = vi.fn()
      first.settings.onChange(changed)
      await set(engine, { limit: 9, prefixes: ['a'] })
      await first.counts({ limit: 9, prefixes: ['a'] })
      expect(changed).toHaveBeenCalledOnce()
    }
    await using second = await start(engine, { fixed: [env('limit', 3)], text: 'limit: 4\n' })
    expect(second.settings.value).toMatchObject({ limit: 9, prefixes: ['a'] })
    expect(await get(engine)).toEqual({ limit: 9, prefixes: ['a'] })
  })

  it('end as the last of many changes', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine)
    await Promise.all(Array.from({ length: 40 }, (_, at) => set(engine, { limit: at + 1 })))
    await it.counts({ limit: 40 })
  })

  it('make stricter and never less strict, whatever the file says later', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { text: 'strict: true\nprefixes: [a]\n' })
    await set(engine, { strict: false, prefixes: ['b'] })
    await it.counts({ strict: true, prefixes: ['b', 'a'] })
    expect(it.log.messages('warn')).toEqual([
      'stored settings: prefixes: ["b"] would be less strict than flags, environment and file; ["b","a"] counts',
      'stored settings: strict: false would be less strict than flags, environment and file; true counts',
    ])
    await it.write('prefixes: [c]\n')
    await it.counts({ strict: false, prefixes: ['b', 'c'] })
  })

  it('never hold what may not be stored', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { text: 'scope: mine\n' })
    await set(engine, { scope: 'yours', limit: 5, lmiit: 6 })
    await it.counts({ scope: 'mine', limit: 5 })
    expect(it.log.messages('warn')).toEqual([
      "stored settings: unknown key 'lmiit'; did you mean 'limit'?",
      "stored settings: 'scope' does not count here: it comes from flags, environment and file alone",
    ])
  })

  it('keep the last good value of what is wrong, and say it once', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine)
    await set(engine, { limit: 6 })
    await it.counts({ limit: 6 })
    await expect(set(engine, { limit: 'many' })).rejects.toThrow('schema validation failed')
    await force(engine, { limit: 'many', strict: true })
    await it.counts({ limit: 6, strict: true })
    await force(engine, { limit: 'many', strict: false })
    await it.counts({ limit: 6, strict: false })
    await force(engine, 'nothing')
    await it.says('error', 'the stored settings cannot be read; what they were before stays')
    expect(it.settings.value).toEqual({ ...DEFAULTS, limit: 6 })
    expect(it.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['reason'])).toEqual([
      'limit: must be a number, not a string',
      'expected keys with values',
    ])
  })

  it('are what flags, environment and file say where they are wrong at the start, and the rest of them counts', async () => {
    await using engine = await startMockEngine(silent)
    await force(engine, { limit: -4, strict: true })
    await using it = await start(engine, { text: 'limit: 3\n' })
    expect(it.settings.value).toMatchObject({ limit: 3, strict: true })
    expect(it.log.messages('error')).toEqual(['a stored setting is wrong; what it was before stays'])
    await set(engine, { limit: 4, strict: true })
    await it.counts({ limit: 4, strict: true })
  })

  it('count as far as they can be had where the engine lacks a variable', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine)
    await set(engine, { limit: '$' + '{NOBODY_SETS_THIS}', strict: true })
    await it.counts({ strict: true })
    expect(it.log.lines.at(-1)?.fields['reason']).toBe('limit: names a variable that the engine does not have')
  })

  it('do not exist where nothing may be stored, and those of somebody else are said not to count', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { table: { scope: rules.options.scope } as unknown as AnyOptionTable })
    await expect(get(engine)).rejects.toThrow('not found')
    await force(engine, { scope: 'stored' })
    await it.says(
      'warn',
      `stored settings: 'scope' does not count here: it comes from flags, environment and file alone`,
    )
  })

  it('are not seeded from a malformed file, but as soon as it is mended', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { text: 'strict: perhaps\n' })
    expect(it.settings.locked?.reason).toMatch(/^line 1: strict/)
    await expect(get(engine)).rejects.toThrow('not found')
    await it.write('strict: true\n')
    await vi.waitFor(async () => expect(await get(engine)).toEqual({ strict: true }), { timeout: 5_000, interval: 5 })
    expect(it.settings.value.strict).toBe(true)
  })
})

describe('an engine that does not give the settings', () => {
  it('leaves flags, environment and file, on a port that does not offer them', async () => {
    await using engine = await startMockEngine({ ...silent, restricted: {} })
    await using it = await start(engine, { url: engine.restrictedUrl, text: 'limit: 3\n' })
    expect(it.settings.value.limit).toBe(3)
    expect(it.log.messages('warn')).toEqual([
      'the stored settings cannot be had; flags, environment and file count, and what was stored before',
    ])
    expect(it.worker.functionIds).toEqual([])
    await expect(get(engine)).rejects.toThrow('not found')
  })

  it('holds a start up no longer than a moment, and is asked again', async () => {
    await using engine = await startMockEngine(silent)
    await force(engine, { limit: 8 })
    const mute = engine.inject({ fault: 'lose-result', function: 'configuration::get' })
    await using it = await start(engine, { settleMs: 50, retryMs: 10, text: 'limit: 3\n' })
    expect(it.settings.value.limit).toBe(3)
    await it.says(
      'warn',
      'the stored settings cannot be had; flags, environment and file count, and what was stored before',
    )
    mute()
    await it.counts({ limit: 8 })
    expect(it.log.messages('warn')).toHaveLength(1)
    expect(it.log.messages('info')).toEqual(['the stored settings can be had again'])
  })

  it('has them still after a restart, and follows them', async () => {
    await using engine = await startMockEngine(silent)
    await using it = await start(engine, { text: 'limit: 2\n' })
    await set(engine, { limit: 5 })
    await it.counts({ limit: 5 })
    await engine.restart()
    const isRegistered = async () => expect(await call(engine, 'schema', { id: 'shop' })).toHaveProperty('schema.type')
    await vi.waitFor(isRegistered, 5_000)
    expect(it.settings.value.limit).toBe(5)
    await set(engine, { limit: 6 })
    await it.counts({ limit: 6 })
  })

  it('gets them anew when it has forgotten them, as they were', async () => {
    const old = await startMockEngine(silent)
    await using it = await start(old, { fixed: [env('strict', true)] })
    await set(old, { limit: 5, strict: true })
    await it.counts({ limit: 5, strict: true })
    await old.close()
    await using engine = await startMockEngine({ ...silent, port: old.port })
    await vi.waitFor(async () => expect(await get(engine)).toEqual({ limit: 5, strict: true }), 5_000)
    await set(engine, { limit: 6 })
    await it.counts({ limit: 6, strict: true })
  })
})
