import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createRecordedLog } from '../testing/recorded-log.ts'
import type { OptionTable } from './option-table.ts'
import { startSettings } from './settings.ts'

interface Options {
  scope: string
  limit: number
}

const table: OptionTable<Options> = {
  scope: { yaml: 'scope', schema: z.string(), default: 'default', describe: '' },
  limit: { yaml: 'limit', schema: z.number(), default: 1, describe: '' },
}

async function stage(text: string | undefined, fixed: [string, unknown][] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'iii-settings-'))
  const file = join(folder, 'config.yaml')
  if (text !== undefined) await writeFile(file, text)
  const log = createRecordedLog()
  const settings = startSettings(table, { fixed: new Map(fixed), file }, log, 20)
  return {
    file,
    log,
    settings,
    write: (next: string) => writeFile(file, next),
    async [Symbol.asyncDispose]() {
      settings.stop()
      await rm(folder, { recursive: true })
    },
  }
}

describe('settings', () => {
  it('are the defaults without a file', () => {
    const settings = startSettings(table, { fixed: new Map([['limit', 3]]), file: undefined }, createRecordedLog())
    expect(settings.value).toEqual({ scope: 'default', limit: 3 })
    expect(Object.isFrozen(settings.value)).toBe(true)
    expect(settings.locked).toBeUndefined()
  })

  it('take flags and environment over the file, key by key', async () => {
    await using it = await stage('scope: file\nlimit: 9\nlimits: 1', [['limit', 3]])
    expect(it.settings.value).toEqual({ scope: 'file', limit: 3 })
    expect(it.log.messages('warn')).toEqual(["configuration file: line 3: unknown key 'limits'; did you mean 'limit'?"])
  })

  it('are the defaults, with a warning, when the file does not exist, and follow it when it comes', async () => {
    await using it = await stage(undefined)
    expect(it.settings.value).toEqual({ scope: 'default', limit: 1 })
    expect(it.settings.locked).toBeUndefined()
    expect(it.log.messages('warn')).toEqual(['the configuration file does not exist; the defaults are used'])
    await it.write('scope: new')
    await vi.waitFor(() => expect(it.settings.value.scope).toBe('new'), 5_000)
  })

  it('are locked by a file that is malformed at the start, until it is mended', async () => {
    await using it = await stage('scope: file\nlimit: many')
    expect(it.settings.locked).toBe(`${it.file}: line 2: limit: expected number, received string`)
    expect(it.settings.value).toEqual({ scope: 'default', limit: 1 })
    const changed = vi.fn()
    it.settings.onChange(changed)
    await it.write('scope: file\nlimit: 5')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), 5_000)
    expect(it.settings.locked).toBeUndefined()
    expect(it.settings.value).toEqual({ scope: 'file', limit: 5 })
  })

  it('stay what they were when the file becomes malformed or goes away', async () => {
    await using it = await stage('scope: good')
    const changed = vi.fn()
    const stop = it.settings.onChange(changed)
    await it.write('scope: [')
    await vi.waitFor(() => expect(it.log.messages('error')).toHaveLength(1), 5_000)
    expect(it.log.messages('error')).toEqual(['the configuration file is malformed; the last good settings stay'])
    await rm(it.file)
    await vi.waitFor(() => expect(it.log.messages('warn')).toHaveLength(1), 5_000)
    expect(it.settings).toMatchObject({ value: { scope: 'good', limit: 1 }, locked: undefined })
    expect(changed).not.toHaveBeenCalled()
    await it.write('scope: better')
    await vi.waitFor(() => expect(it.settings.value.scope).toBe('better'), 5_000)
    stop()
    expect(changed).toHaveBeenCalledOnce()
  })

  it('are locked by a file that is too large or cannot be read', async () => {
    await using large = await stage(`# ${'x'.repeat(300_000)}`)
    expect(large.settings.locked).toMatch(/it has 300002 bytes; at most 262144 are read$/)
    const folder = startSettings(table, { fixed: new Map(), file: tmpdir() }, createRecordedLog())
    folder.stop()
    expect(folder.locked).toMatch(/cannot be read: EISDIR$/)
  })
})
