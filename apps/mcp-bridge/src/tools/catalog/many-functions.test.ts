import { createLog } from '@iii/sdk'
import { expect, it, vi } from 'vitest'
import { EVERYBODY, type Principal } from '../../auth/principal.ts'
import type { FunctionDetail } from '../../gate/directory.ts'
import { toKey } from '../../gate/sight.ts'
import { toHolder } from '../../testing/principals.ts'
import { type CatalogOptions, createCatalog } from './index.ts'
import { createReport } from './report.ts'

const log = createLog({ name: 'mcp', level: 'silent' })
const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }

function toManyDetails(count: number): Map<string, FunctionDetail> {
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field_${at}`, { type: 'string' }]))
  const schema = { requestSchema: { type: 'object', properties }, responseSchema: undefined, metadata: undefined }
  const ids = Array.from({ length: count }, (_, at) => `many::f${at}`)
  return new Map(ids.map((id) => [id, { id, description: 'one of many', ...schema }]))
}

function startCatalog(details: Map<string, FunctionDetail>, options: Partial<CatalogOptions> = {}) {
  const directory = {
    list: async () => [...details.keys()].map((id) => ({ id, metadata: undefined })),
    describe: async (ids: readonly string[]) => new Map(ids.map((id) => [id, details.get(id) as FunctionDetail])),
  }
  return createCatalog({ directory, rules: () => rules, log, ...options })
}

async function readAll<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

/** Does something as soon as the first of many functions are made tools. */
function whenMaking(run: () => void): Pick<CatalogOptions, 'schemaForm'> {
  let isDone = false
  return {
    schemaForm() {
      if (!isDone) setImmediate(run)
      isDone = true
      return {}
    },
  }
}

it('others are served while thousands of functions are made tools', async () => {
  const catalog = startCatalog(toManyDetails(1_000))
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await catalog.refresh()
  clearImmediate(timer)
  expect(turns).toBeGreaterThan(1)
  expect(await catalog.entries(EVERYBODY)).toHaveLength(1_000)
  catalog.close()
})

it('what is learned while thousands of functions are made tools is newer than what they are made of', async () => {
  const details = toManyDetails(1_000)
  const [gone, changed, added] = ['many::f0', 'many::f999', 'many::new']
  const toNewer = (id: string): FunctionDetail => ({ ...details.get('many::f1'), id, description: 'newer' }) as never
  let before: readonly unknown[] | undefined
  const catalog = startCatalog(
    details,
    whenMaking(() => {
      before = catalog.known(EVERYBODY)
      catalog.learn(gone, undefined)
      for (const id of [changed, added]) catalog.learn(id, toNewer(id))
    }),
  )
  await catalog.refresh()
  const listed = new Map(catalog.known(EVERYBODY).map(({ functionId, json }) => [functionId, json.inlined]))
  expect([before, listed.has(gone)]).toEqual([[], false])
  expect([changed, added].map((id) => listed.get(id)?.includes('newer'))).toEqual([true, true])
  catalog.close()
})

it('what goes out of sight while thousands of functions are made tools is not listed', async () => {
  const key = toKey({ namespace: 'billing', id: 'orders::list' })
  const details = toManyDetails(1_000)
  details.set(key, { ...details.get('many::f1'), id: key } as FunctionDetail)
  let isSeen = true
  const catalog = startCatalog(details, {
    sight: { sees: () => isSeen },
    ...whenMaking(() => {
      isSeen = false
      catalog.invalidate()
    }),
  })
  await catalog.refresh()
  expect(isSeen).toBe(false)
  expect(catalog.known(EVERYBODY)).toHaveLength(1_000)
  catalog.close()
})

it('others are served while lists are made for many different rights', async () => {
  const catalog = startCatalog(toManyDetails(100))
  await catalog.refresh()
  const holders = Array.from({ length: 20 }, (_, at) => toHolder(`one-${at}`, { scopes: [`orders:${at}`] }))
  let made = 0
  const lists = Promise.all(holders.map((holder) => catalog.list('shared', holder).then(() => ++made)))
  const seen = new Set<number>()
  while (made < holders.length) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.add(made)
  }
  await lists
  expect(seen.size).toBeGreaterThan(holders.length / 2)
  const again = await Promise.all([holders[19], holders[19]].map((one) => catalog.list('shared', one as Principal)))
  expect(again[0]).toBe(again[1])
  catalog.close()
})

it('what is made already waits for no turn, whatever of it somebody with rights of their own reads', async () => {
  const catalog = startCatalog(toManyDetails(10))
  await catalog.refresh()
  const holder = toHolder('one', { scopes: ['orders'] })
  const takesTurn = async (read: () => Promise<unknown>) => {
    let hasTurned = false
    const turn = setImmediate(() => {
      hasTurned = true
    })
    await read()
    clearImmediate(turn)
    return hasTurned
  }
  const reads = [
    () => catalog.entries(holder),
    () => catalog.entries(holder),
    () => catalog.declared(holder),
    () => catalog.list('shared', holder),
    () => catalog.list('inlined', holder),
  ]
  const turns: boolean[] = []
  for (const read of reads) turns.push(await takesTurn(read))
  expect(turns).toEqual([true, false, false, true, false])
  catalog.close()
})

it('what is kept of a listed function is the very same until the function is another', async () => {
  const details = toManyDetails(2)
  const catalog = startCatalog(details)
  const ids = [...details.keys()]
  await catalog.refresh()
  const [first = []] = await readAll(catalog.details(ids))
  await catalog.refresh()
  catalog.learn('many::f1', { ...toManyDetails(2).get('many::f1'), description: 'another' } as FunctionDetail)
  const [second = []] = await readAll(catalog.details(ids))
  expect(second.map((source, at) => source === first[at])).toEqual([true, false])
  expect(second.map((source) => source?.detail().description)).toEqual(['one of many', 'another'])
  catalog.close()
})

it('nobody waits for a first look at thousands of functions to hear of a few', async () => {
  const details = toManyDetails(5_000)
  const asked: number[] = []
  const directory = {
    list: () => new Promise<never>(() => undefined),
    describe: async (ids: readonly string[]) => {
      asked.push(ids.length)
      return new Map(ids.map((id) => [id, details.get(id) as FunctionDetail]))
    },
  }
  const catalog = createCatalog({ directory, rules: () => rules, log })
  void catalog.refresh()
  for await (const [first] of catalog.details([...details.keys()])) {
    expect(first?.detail().id).toBe('many::f0')
    break
  }
  expect(asked).toEqual([512])
  catalog.close()
})

it('a new function is listed while thousands of others are asked for again', async () => {
  const details = toManyDetails(5_000)
  let asked: number[] | undefined
  let goOn: (() => void) | undefined
  const directory = {
    list: async () => [...details.keys()].map((id) => ({ id, metadata: undefined })),
    async describe(ids: readonly string[]) {
      if (ids.length > 0) asked?.push(ids.length)
      if (asked?.length === 1) await new Promise<void>((resolve) => (goOn = resolve))
      return new Map(ids.map((id) => [id, details.get(id) as FunctionDetail]))
    },
  }
  const catalog = createCatalog({ directory, rules: () => rules, log, freshMs: 0 })
  await catalog.refresh()
  asked = []
  const checked = catalog.refresh()
  const names = async () => (await catalog.entries(EVERYBODY)).map(({ name }) => name)
  await vi.waitFor(() => expect(goOn).toBeDefined())
  details.set('many::new', { ...details.get('many::f0'), id: 'many::new' } as FunctionDetail)
  const listed = names()
  goOn?.()
  expect(await listed).toContain('many__new')
  const before = asked.reduce((sum, count) => sum + count, 0)
  await checked
  expect([before < 500, asked.reduce((sum, count) => sum + count, 0)]).toEqual([true, 5_001])
  catalog.close()
})

it('what was told of functions that are gone is forgotten where it is much, and of those that are there it is not', () => {
  const said: unknown[] = []
  const report = createReport({
    ...log,
    warn: (fields: { function_id: string }) => said.push(fields.function_id),
  } as never)
  const entries = Array.from({ length: 1_001 }, (_, at) => ({ functionId: `bad::f${at}`, problems: ['no schema'] }))
  for (const entry of entries) report.problems(entry as never)
  report.forget((id) => id === 'bad::f1')
  said.length = 0
  for (const entry of entries.slice(0, 2)) report.problems(entry as never)
  expect(said).toEqual(['bad::f0'])
})

it('what is wrong with functions that stay is told once, however many they are', async () => {
  const details = toManyDetails(1_001)
  for (const [id, detail] of details) details.set(id, { ...detail, responseSchema: 'no schema' })
  let told = 0
  const counting = { ...log, warn: () => (told += 1) } as unknown as typeof log
  const catalog = startCatalog(details, { log: counting })
  await catalog.refresh()
  await catalog.refresh()
  await catalog.refresh()
  expect(told).toBe(details.size)
  catalog.close()
})
