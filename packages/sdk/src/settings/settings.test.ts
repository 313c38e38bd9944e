import { writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Given, OptionRules } from '../options/given.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { startSettings } from './settings.ts'

interface Options {
  scope: string
  limit: number
}

const rules: OptionRules<Options> = {
  options: {
    scope: { yaml: 'scope', schema: z.string(), default: 'default', describe: '' },
    limit: { flag: '--limit', yaml: 'limit', schema: z.number(), default: 1, describe: '' },
  },
  findConflict: ({ scope, limit }) =>
    scope === 'small' && limit > 5 ? { options: ['scope', 'limit'], reason: 'do not go together' } : undefined,
}

const flag = (value: unknown): [string, Given] => ['limit', { value, from: 'flag', name: '--limit' }]

async function stage(text: string | undefined, fixed: [string, Given][] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'iii-settings-'))
  const file = join(folder, 'config.yaml')
  if (text !== undefined) await writeFile(file, text)
  const log = createRecordedLog()
  const settings = startSettings(rules, { fixed: new Map(fixed), file }, log, 20)
  return {
    file,
    log,
    settings,
    write: (next: string) => writeFile(file, next),
    /** Waits for the reason of a lock. */
    lockedBy: (reason: string) =>
      vi.waitFor(() => expect(settings.locked).toMatchObject({ file, reason }), { timeout: 5_000, interval: 10 }),
    async [Symbol.asyncDispose]() {
      settings.stop()
      await rm(folder, { recursive: true })
    },
  }
}

const COUNTS_AGAIN = 'the configuration file can be used again, and counts'

describe('settings', () => {
  it('are the defaults without a file', () => {
    const settings = startSettings(rules, { fixed: new Map([flag(3)]), file: undefined }, createRecordedLog())
    expect(settings.value).toEqual({ scope: 'default', limit: 3 })
    expect(Object.isFrozen(settings.value)).toBe(true)
    expect(settings.locked).toBeUndefined()
    expect(settings.file).toBeUndefined()
  })

  it('tell the absolute path of their file', async () => {
    await using it = await stage('scope: file')
    const settings = startSettings(rules, { fixed: new Map(), file: relative('.', it.file) }, it.log)
    settings.stop()
    expect(settings.file).toBe(it.file)
  })

  it('come from a file that others may write, unless that is refused', async () => {
    await using it = await stage('scope: file')
    await chmod(it.file, 0o664)
    const start = (refusesSharedFile: boolean) => {
      const settings = startSettings({ ...rules, refusesSharedFile }, { fixed: new Map(), file: it.file }, it.log)
      settings.stop()
      return settings
    }
    expect(start(false)).toMatchObject({ value: { scope: 'file' }, locked: undefined })
    expect(start(true)).toMatchObject({
      value: { scope: 'default' },
      locked: { reason: expect.stringMatching(/^the file may be written by others .*\(mode 0664\).*: chmod go-w it$/) },
    })
    await chmod(it.file, 0o644)
    expect(start(true)).toMatchObject({ value: { scope: 'file' }, locked: undefined })
  })

  it('take flags and environment over the file, key by key', async () => {
    await using it = await stage('scope: file\nlimit: 9', [flag(3)])
    expect(it.settings.value).toEqual({ scope: 'file', limit: 3 })
    expect(it.log.lines).toEqual([])
  })

  it('follow a file that changes right after the start', async () => {
    await using it = await stage('scope: first')
    writeFileSync(it.file, 'scope: second')
    await vi.waitFor(() => expect(it.settings.value.scope).toBe('second'), 5_000)
  })

  it('are the defaults when the file is empty at the start', async () => {
    await using it = await stage('\n')
    expect(it.settings).toMatchObject({ value: { scope: 'default', limit: 1 }, locked: undefined })
    expect(it.log.lines).toEqual([])
  })

  it('stay what they were when the file becomes malformed, contradicts itself, is empty or goes away', async () => {
    await using it = await stage('scope: good')
    const changed = vi.fn()
    const stop = it.settings.onChange(changed)
    const kept = async (log: 'error' | 'warn', lines: number) => {
      await vi.waitFor(() => expect(it.log.messages(log)).toHaveLength(lines), 5_000)
      expect(it.settings).toMatchObject({ value: { scope: 'good', limit: 1 }, locked: undefined })
    }
    await it.write('scope: [')
    await kept('error', 1)
    await it.write('limit: 9\nscope: small')
    await kept('error', 2)
    expect(it.log.messages('error')).toEqual(
      Array(2).fill('the configuration file cannot be used; the last good settings stay'),
    )
    expect(it.log.lines.at(-1)?.fields).toEqual({
      file: it.file,
      reason: 'line 1: scope (line 2) and limit do not go together',
    })
    await it.write('')
    await kept('warn', 1)
    await rm(it.file)
    await kept('warn', 2)
    expect(it.log.messages('warn')).toEqual([
      'the configuration file is empty; the last good settings stay',
      'the configuration file does not exist; the last good settings stay',
    ])
    expect(changed).not.toHaveBeenCalled()
    expect(it.log.messages('info')).toEqual([])
    await it.write('scope: better')
    await vi.waitFor(() => expect(it.settings.value.scope).toBe('better'), 5_000)
    expect(it.log.messages('info')).toEqual([COUNTS_AGAIN])
    await it.write('{}')
    await vi.waitFor(() => expect(it.settings.value.scope).toBe('default'), 5_000)
    stop()
    expect(changed).toHaveBeenCalledTimes(2)
  })
})

describe('a key that says what it means that it is gone', () => {
  it('keeps the last good settings until the file has it again, or until a restart', async () => {
    const gone = (before: string) => (before === 'shut' ? 'is gone: write open' : undefined)
    const door = { yaml: 'door', schema: z.string(), default: 'open', describe: '', gone }
    const start = (file: string, log = createRecordedLog()) => {
      const options = { ...rules, options: { ...rules.options, door } }
      return { log, settings: startSettings(options, { fixed: new Map(), file }, log, 20) }
    }
    await using it = await stage('door: shut')
    const { log, settings } = start(it.file)
    await it.write('limit: 3')
    await vi.waitFor(() => expect(log.messages('error')).toHaveLength(1), 5_000)
    expect(log.lines.at(-1)?.fields).toEqual({ file: it.file, reason: 'door is gone: write open' })
    expect(settings).toMatchObject({ value: { door: 'shut', limit: 1 }, locked: undefined })
    await it.write('limit: 4\ndoor: open')
    await vi.waitFor(() => expect(settings.value).toMatchObject({ door: 'open', limit: 4 }), 5_000)
    await it.write('limit: 5')
    await vi.waitFor(() => expect(settings.value).toMatchObject({ door: 'open', limit: 5 }), 5_000)
    settings.stop()
    const restarted = start(it.file).settings
    restarted.stop()
    expect(restarted).toMatchObject({ value: { door: 'open', limit: 5 }, locked: undefined })
  })
})

describe('locked settings', () => {
  it('come from a file that is malformed at the start, until it is mended', async () => {
    await using it = await stage('scope: file\nlimit: many')
    const reason = 'line 2: limit: must be a number, not a string'
    expect(it.settings.locked).toEqual({ file: it.file, reason, mistakes: [reason] })
    expect(it.log.lines).toEqual([
      {
        level: 'error',
        fields: { file: it.file, reason },
        message: 'the configuration file cannot be used; nothing is served until it is mended',
      },
    ])
    expect(it.settings.value).toEqual({ scope: 'default', limit: 1 })
    const changed = vi.fn()
    it.settings.onChange(changed)
    await it.write('scope: file\nlimit: 5')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), 5_000)
    expect(it.settings.locked).toBeUndefined()
    expect(it.settings.value).toEqual({ scope: 'file', limit: 5 })
    expect(it.log.lines.at(-1)).toEqual({ level: 'info', fields: { file: it.file }, message: COUNTS_AGAIN })
  })

  it('come from a file that does not exist, until there is a good one', async () => {
    await using it = await stage(undefined)
    const reason =
      'the file does not exist: name the right one with --config or III_CONFIG (III_NAME_CONFIG, with the name of the worker, counts before it), or make it; {} in it means the defaults'
    expect(it.settings).toMatchObject({ value: { scope: 'default', limit: 1 }, locked: { file: it.file, reason } })
    expect(it.log.messages('error')).toEqual([
      'the configuration file cannot be used; nothing is served until it is mended',
    ])
    await it.write('scop: new')
    await it.lockedBy("line 1: unknown key 'scop'; did you mean 'scope'?")
    await it.write('scope: new')
    await vi.waitFor(() => expect(it.settings.locked).toBeUndefined(), 5_000)
    expect(it.settings.value.scope).toBe('new')
  })

  it('tell all mistakes of the file at once, contradictions too, to a bound', async () => {
    await using it = await stage('limits: 1\nscope: small\nlimit: 6')
    const mistakes = [
      "line 1: unknown key 'limits'; did you mean 'limit'?",
      'line 2: scope and limit (line 3) do not go together',
    ]
    expect(it.settings.locked).toEqual({ file: it.file, mistakes, reason: mistakes.join('; ') })
    expect(it.log.lines[0]?.fields).toEqual({ file: it.file, reason: mistakes.join('; ') })
    await using many = await stage(Array.from({ length: 30 }, (_, at) => `wrong${at}: 1`).join('\n'))
    expect(many.settings.locked?.mistakes).toHaveLength(21)
    expect(many.settings.locked?.reason).toMatch(/; and 10 more$/)
  })

  it('come from a file that contradicts itself at the start', async () => {
    await using it = await stage('scope: small\nlimit: 6')
    expect(it.settings.locked?.reason).toBe('line 1: scope and limit (line 2) do not go together')
    await it.write('scope: small\nlimit: 5')
    await vi.waitFor(() => expect(it.settings.value).toEqual({ scope: 'small', limit: 5 }), 5_000)
    expect(it.settings.locked).toBeUndefined()
  })

  it('come from a file that contradicts a flag, and not from one whose contradiction a flag takes back', async () => {
    await using refused = await stage('scope: small', [flag(6)])
    expect(refused.settings.locked?.reason).toBe('line 1: scope and --limit (flag) do not go together')
    await using settled = await stage('scope: small\nlimit: 6', [flag(2)])
    expect(settled.settings).toMatchObject({ value: { scope: 'small', limit: 2 }, locked: undefined })
  })

  it('are opened by a good file alone', async () => {
    await using it = await stage('limit: many')
    const opened = vi.fn()
    it.settings.onChange(() => it.settings.locked ?? opened())
    await it.write('scope: small\nlimit: 6')
    const conflict = 'line 1: scope and limit (line 2) do not go together'
    await it.lockedBy(conflict)
    await it.write('')
    await it.lockedBy(`${conflict}; now the file is empty: put a mended one in its place, or restart without it`)
    await rm(it.file)
    const gone = 'now the file does not exist: put a mended one in its place, or restart without it'
    await it.lockedBy(`${conflict}; ${gone}`)
    await it.write('limit: several')
    await it.lockedBy('line 1: limit: must be a number, not a string')
    expect(it.settings.value).toEqual({ scope: 'default', limit: 1 })
    expect(opened).not.toHaveBeenCalled()
    await it.write('limit: 7')
    await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce(), 5_000)
    expect(it.settings.value).toEqual({ scope: 'default', limit: 7 })
  })

  it('come from a file that is too large or cannot be read', async () => {
    await using large = await stage(`# ${'x'.repeat(300_000)}`)
    expect(large.settings.locked?.reason).toBe('the file has 300002 bytes; at most 262144 are read')
    const folder = startSettings(rules, { fixed: new Map(), file: tmpdir() }, createRecordedLog())
    folder.stop()
    expect(folder.locked).toMatchObject({ file: tmpdir(), reason: 'the file is a folder: only a regular file is read' })
  })
})
