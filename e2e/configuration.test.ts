import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog, type OptionSpec, type OptionTable } from '@iii/sdk'
import { COMMON_OPTIONS, readCommandLine, startSettings } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { bridgeOptions } from '../apps/mcp-bridge/src/options.ts'
import { options as mcpClientOptions } from '../apps/mcp-client/src/options.ts'
import { options as runsOptions } from '../apps/run-records/src/options.ts'
import { options as registryOptions } from '../apps/skills-registry/src/options.ts'
import { createTempFolder } from './stack.ts'

/** `docs/configuration.md` says what the code does: every column of its tables of settings, and their order. */
const page = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')

/** The cells of the first table below a heading. */
function readTable(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [table = ''] = /^\|.*(?:\n\|.*)*/m.exec(section) ?? []
  const [, , ...rows] = table.split('\n').map((line) => line.split('|').slice(1, -1))
  return rows.map((cells) => cells.map((cell) => cell.trim()))
}

function toNames(cell = ''): string[] {
  return [...cell.matchAll(/`(-[^\s`]+|[A-Z_]+)[^`]*`/g)].map(([, name = '']) => name)
}

function toDefault(value: unknown): string {
  const isNothing =
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return isNothing ? 'none' : `\`${String(value)}\``
}

function toRows<T>(table: OptionTable<T>): unknown[] {
  return Object.values(table as unknown as Record<string, OptionSpec<unknown>>).map(
    ({ flag, env, yaml, default: value, stored }) => ({
      flags: [flag ?? []].flat(),
      env: [env ?? []].flat(),
      yaml: `\`${yaml}\``,
      default: toDefault(value),
      stored: typeof stored === 'function' ? 'stricter' : stored === 'any' ? 'yes' : 'never',
    }),
  )
}

function readRows(heading: string): unknown[] {
  return readTable(heading).map(([flag, env, yaml, value, stored = '']) => ({
    flags: toNames(flag),
    env: toNames(env),
    yaml,
    default: value,
    stored: stored.replace(/^stricter: .+$/, 'stricter'),
  }))
}

describe('the page about configuration', () => {
  it('tells all there is to set for iii-mcp, with the names and defaults of the code, and what may be stored', () => {
    const byName = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
    expect(byName(readRows('iii-mcp'))).toEqual(byName(toRows(bridgeOptions)))
  })

  it('tells the same for iii-mcp-client', () => {
    expect(readRows('iii-mcp-client')).toEqual(toRows(mcpClientOptions))
  })

  it('tells the same for iii-runs', () => {
    expect(readRows('iii-runs')).toEqual(toRows(runsOptions))
  })

  it('tells the same for iii-skills', () => {
    expect(readRows('iii-skills')).toEqual(toRows(registryOptions))
  })

  it('tells what all workers can be told', () => {
    const rows = Object.values(COMMON_OPTIONS).map((spec) => ({
      flags: 'flag' in spec ? [spec.flag].flat() : [],
      env: 'env' in spec ? [spec.env].flat() : [],
    }))
    expect(readTable('All workers').map(([flag, env]) => ({ flags: toNames(flag), env: toNames(env) }))).toEqual(rows)
  })

  it.each([
    ['started by the engine', 1],
    ['started otherwise', 2],
  ])('tells the order in which places count, %s', async (_, column) => {
    const places = readTable('What counts').flatMap((cells) => toPlace(cells[column]))
    expect(places).toHaveLength(column === 1 ? 5 : 4)
    for (const [at, place] of places.entries()) {
      expect([place, await findCounting(places.slice(at))]).toEqual([place, place])
    }
  })
})

/** A value for each place. */
const SAID = { flag: 2001, stored: 2002, environment: 2003, file: 2004, default: 100_000 }

function toPlace(cell = ''): (keyof typeof SAID)[] {
  return (Object.keys(SAID) as (keyof typeof SAID)[]).filter((place) => new RegExp(`^\\[?${place}\\b`).test(cell))
}

/** Who of them is heard when all of them say something. */
async function findCounting(places: readonly string[]): Promise<string | undefined> {
  const says = (place: string) => places.includes(place)
  await using folder = await createTempFolder()
  const file = join(folder.path, 'bridge.yaml')
  await writeFile(file, says('file') ? `max_result_bytes: ${SAID.file}\n` : '{}\n')
  const argv = says('flag') ? ['--max-result-bytes', String(SAID.flag)] : []
  const env = says('environment') ? { III_MCP_MAX_RESULT_BYTES: String(SAID.environment) } : {}
  const line = readCommandLine(argv, env, bridgeOptions as unknown as Record<string, OptionSpec<unknown>>)
  if ('problem' in line) throw new Error(line.problem)
  const log = createLog({ name: 'test', level: 'silent' })
  const settings = startSettings({ options: bridgeOptions }, { fixed: line.own, file }, log)
  settings.stop()
  const value = { value: SAID.stored, from: 'store', name: 'max_result_bytes' } as const
  if (says('stored')) settings.store(new Map([['maxResultBytes', value]]))
  return Object.entries(SAID).find(([, said]) => said === settings.value.maxResultBytes)?.[0]
}
