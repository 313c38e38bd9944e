import { createLog } from '@iii/sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../../auth/principal.ts'
import type { FunctionDetail } from '../../gate/directory.ts'
import type { McpCall } from '../../mcp/call.ts'
import { readyMembers } from '../../mcp/rpc.ts'
import { toHolder } from '../../testing/principals.ts'
import { createCatalog } from '../catalog/index.ts'
import { createToolSearch } from './index.ts'

const rules = () => ({ requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] })
const TIERS = ['user', 'staff', 'ops']

const NO_SCHEMAS = { requestSchema: undefined, responseSchema: undefined }

/** A search among functions, each of a tier or of none. */
function openSearch(tiers: readonly (string | undefined)[]) {
  return openAmong(
    tiers.map((tier, at) => {
      const metadata = { mcp: { ...(tier && { tier }), pin: at % 5 === 0, skill: 'shop/selling' } }
      return { ...NO_SCHEMAS, id: `shop::f${at}`, description: `Sells thing ${at}`, metadata }
    }),
  )
}

async function openAmong(details: readonly FunctionDetail[]) {
  const byId = new Map(details.map((detail) => [detail.id, detail]))
  const directory = {
    list: async () => details.map(({ id, metadata }) => ({ id, metadata })),
    describe: async (ids: readonly string[]) => new Map([...byId].filter(([id]) => ids.includes(id))),
  }
  const catalog = createCatalog({ directory, rules, log: createLog({ name: 'mcp', level: 'silent' }) })
  const search = createToolSearch({
    catalog,
    management: { isThere: () => false },
    options: () => ({ tools: 'all', pinnedTools: [] }),
    onSearch() {},
  })
  const toCall = (principal: Principal) => ({ principal, era: 'session', capabilities: {} }) as McpCall
  return {
    catalog,
    list: async (principal: Principal) => readyMembers(await search.list(toCall(principal))),
    find: async (principal: Principal, query: string) => {
      const input = { query, limit: 20, detail: 'names' }
      return (await search.call('search_tools', input, toCall(principal))).structuredContent
    },
    /** All that it is told, and what it would be told of a name that is nobody's. */
    ask: async (principal: Principal, queries: readonly string[]) => [
      await search.call('search_tools', { queries, limit: 3, detail: 'full' }, toCall(principal)),
      await Promise.all(queries.map((query) => search.suggest(query, principal))),
    ],
  }
}

const word = fc.constantFrom('order', 'orders', 'refund', 'refunds', 'pay', 'payroll', 'vault', 'list', 'invoices')
const texts = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const functions = fc.uniqueArray(
  fc.record({ id: fc.array(word, { minLength: 2, maxLength: 2 }), isShown: fc.boolean(), description: texts }),
  { selector: ({ id }) => id.join(), maxLength: 25 },
)

const tiersOfFunctions = fc.array(fc.option(fc.constantFrom(...TIERS), { nil: undefined }), { maxLength: 15 })
const tiersOfGrant = fc.option(fc.subarray(TIERS), { nil: undefined })

describe('whoever has a grant', () => {
  it('finds what it may list, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(tiersOfFunctions, tiersOfGrant, tiersOfGrant, async (tiers, ...granted) => {
        const { catalog, find, list } = await openSearch(tiers)
        for (const [at, own] of granted.entries()) {
          const principal = toHolder(`t${at}`, { tiers: own, tools: 'search' })
          const found = (await find(principal, 'sells a thing')) as { tools: { name: string }[] }
          const names = [...catalog.names(principal)].sort()
          expect(found.tools.map(({ name }) => name).sort()).toEqual(names)
          const listed = [...((await list(principal)) ?? '').matchAll(/"name":"(shop__\w+)"/g)].map(([, name]) => name)
          expect(listed.every((name) => names.includes(name ?? ''))).toBe(true)
        }
        catalog.close()
      }),
      { numRuns: 200 },
    )
  })

  it('is told the same, in the same order, whatever there is that it may not see', async () => {
    await fc.assert(
      fc.asyncProperty(functions, fc.array(texts, { minLength: 1, maxLength: 3 }), async (all, queries) => {
        const details = all.map(({ id, isShown, description }) => {
          const metadata = { mcp: { tier: isShown ? 'user' : 'ops' } }
          return { ...NO_SCHEMAS, id: id.join('::'), description, metadata, isShown }
        })
        const [whole, part] = [await openAmong(details), await openAmong(details.filter(({ isShown }) => isShown))]
        const user = toHolder('user', { tiers: ['user'], tools: 'search' })
        await whole.ask(toHolder('all', { tools: 'search' }), queries)
        expect(await whole.ask(user, queries)).toEqual(await part.ask(user, queries))
        for (const { catalog } of [whole, part]) catalog.close()
      }),
      { numRuns: 200 },
    )
  })

  it('is answered as if what it may not see were not there', async () => {
    const among = await openSearch(['user', 'ops', 'user', 'ops'])
    const principal = toHolder('ci', { tiers: ['user'], tools: 'search' })
    expect(await among.find(principal, 'thing 1')).toEqual(await among.find(principal, 'thing 777'))
    const hidden = await among.find(toHolder('none', { tiers: [], tools: 'search' }), 'thing 1')
    const nothing = await openSearch([])
    expect(hidden).toEqual(await nothing.find(toHolder('none', { tiers: [], tools: 'search' }), 'thing 1'))
    for (const { catalog } of [among, nothing]) catalog.close()
  })

  it('is told of the skill of a pinned tool where its grant reads that skill', async () => {
    const { list, catalog } = await openSearch([undefined])
    const rows = await Promise.all(['shop', 'billing'].map((id) => list(toHolder(id, { skills: [id] }))))
    expect(rows.map((row) => row?.includes('"_meta":{"iii/skill":"iii://shop/selling"}'))).toEqual([true, false])
    expect(rows.every((row) => row?.includes('"shop__f0"'))).toBe(true)
    catalog.close()
  })
})
