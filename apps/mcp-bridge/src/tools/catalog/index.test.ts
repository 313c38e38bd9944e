import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import { createDirectory, type Directory, type FunctionDetail } from '../../gate/directory.ts'
import { createSight } from '../../gate/sight.ts'
import { readyMembers } from '../../mcp/rpc.ts'
import { startBridge } from '../../testing/bridge.ts'
import { untilAnswer } from '../../testing/until.ts'
import { createCatalog } from './index.ts'

const log = createLog({ name: 'mcp', level: 'silent' })
const everything = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
const rules = () => everything

function toDetail(id: string, description?: string): FunctionDetail {
  return { id, description, requestSchema: undefined, responseSchema: undefined, metadata: undefined }
}

/** An engine with these functions and nothing else. */
function directoryOf(functions: Map<string, FunctionDetail>): Pick<Directory, 'list' | 'describe'> {
  return {
    list: async () => [...functions.values()].map(({ id, metadata }) => ({ id, metadata })),
    describe: async (ids) =>
      new Map(ids.flatMap((id) => (functions.has(id) ? [[id, functions.get(id)]] : [])) as never),
  }
}

describe('the list of tools', () => {
  it('follows workers and functions that come and go, though the engine tells of functions late', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 600_000 })
    await using bridge = await startBridge(engine)
    const worker = registerWorker(engine.url, { name: 'orders', log })
    worker.registerFunction('orders::list', () => 1)
    await worker.ready()
    await untilAnswer(bridge.toolNames, (names) => names[0] === 'orders__list')
    worker.registerFunction('orders::get', () => 1)
    await untilAnswer(bridge.toolNames, (names) => names.length === 2)
    await worker.shutdown()
    expect(await untilAnswer(bridge.toolNames, (names) => names.length === 0)).toEqual([])
  })

  it('is built once and not asked for again while nothing changes', async () => {
    const directory = directoryOf(new Map([['x::y', toDetail('x::y')]]))
    let asked = 0
    const list = () => {
      asked += 1
      return directory.list()
    }
    const catalog = createCatalog({ directory: { ...directory, list }, rules, log })
    const lists = await Promise.all(Array.from({ length: 20 }, () => catalog.list('inlined', EVERYBODY)))
    for (let i = 0; i < 20; i++) lists.push(await catalog.list('inlined', EVERYBODY))
    expect([asked, new Set(lists).size]).toEqual([1, 1])
    catalog.close()
  })

  it('ends with what the rules hide at once, also when the engine does not answer', async () => {
    const functions = new Map([
      ['x::open', { ...toDetail('x::open'), metadata: { 'mcp.expose': true } }],
      ['x::other', toDetail('x::other')],
    ])
    let current = rules()
    const directory = directoryOf(functions)
    const catalog = createCatalog({ directory, rules: () => current, log })
    await catalog.refresh()
    directory.list = () => Promise.reject(new Error('no engine'))
    current = { ...current, requireExpose: true }
    catalog.invalidate()
    const listed = readyMembers(await catalog.list('inlined', EVERYBODY))
    expect([listed?.includes('x__open'), listed?.includes('x__other')]).toEqual([true, false])
    catalog.close()
  })

  it('asks for details in batches of 32', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'many', log })
    for (let i = 0; i < 100; i++) worker.registerFunction(`many::f${i}`, () => i, { description: `number ${i}` })
    await worker.ready()
    const directory = createDirectory(worker, 2_000, createSight())
    const ids = Array.from({ length: 100 }, (_, i) => `many::f${i}`)
    const details = await directory.describe([...ids, 'many::missing', 'many::f1'])
    expect([details.size, details.get('many::f99')?.description]).toEqual([100, 'number 99'])
    expect((await directory.list()).filter(({ id }) => id.startsWith('many::'))).toHaveLength(100)
  })

  it('has one winner for a name that two functions have, the same on every bridge, and logs the other once', async () => {
    const [winner, loser] = ['x#?@++y', 'x@!!!./y']
    for (const order of [
      [winner, loser],
      [loser, winner],
    ]) {
      const said: object[] = []
      const loud = { ...log, warn: (fields: object) => said.push(fields) } as unknown as typeof log
      const functions = new Map(order.map((id) => [id, toDetail(id)]))
      const catalog = createCatalog({ directory: directoryOf(functions), rules, log: loud })
      await catalog.refresh()
      await catalog.refresh()
      expect(await catalog.find('x_y___cb4e43fa', EVERYBODY)).toBe(winner)
      expect(readyMembers(await catalog.list('inlined', EVERYBODY))?.match(/x_y___cb4e43fa/g)).toHaveLength(1)
      expect(said).toEqual([{ tool: 'x_y___cb4e43fa', function_id: loser, taken_by: winner }])
      catalog.close()
    }
  })

  it('says once which schemas were not fit to be shown, and again when other things are wrong', async () => {
    const said: object[] = []
    const loud = { ...log, warn: (fields: object) => said.push(fields) } as unknown as typeof log
    const bad = {
      ...toDetail('x::bad'),
      requestSchema: { required: 'a' },
      responseSchema: { type: 'object', required: 1 },
    }
    const functions = new Map<string, FunctionDetail>([
      ['x::bad', bad],
      ['x::good', toDetail('x::good')],
    ])
    const catalog = createCatalog({ directory: directoryOf(functions), rules, log: loud })
    await catalog.refresh()
    await catalog.refresh()
    catalog.learn('x::bad', { ...bad, description: 'still bad' })
    const problems = [
      'request_format: required must be a list of strings',
      'response_format: required must be a list of strings',
    ]
    expect(said).toEqual([{ function_id: 'x::bad', problems }])
    catalog.learn('x::bad', { ...bad, requestSchema: undefined })
    expect(said.slice(1)).toEqual([{ function_id: 'x::bad', problems: problems.slice(1) }])
    catalog.close()
  })

  it('renders a function when it is new or changed, and not each time it is looked at', async () => {
    let rendered = 0
    const detail = toDetail('x::y')
    const metadata = Object.defineProperty({}, 'mcp', { get: () => void rendered++ })
    const functions = new Map([['x::y', { ...detail, metadata }]])
    const silent = { ...rules(), exposeAll: true }
    const catalog = createCatalog({ directory: directoryOf(functions), rules: () => silent, log })
    await catalog.refresh()
    const once = rendered
    await catalog.refresh()
    const judged = rendered - once
    expect(judged).toBeLessThan(once)
    catalog.close()
  })

  it('asks of functions that came or say something else of themselves, and of schemas alone when all is looked at', async () => {
    const functions = new Map(['a', 'b', 'c'].map((id) => [`x::${id}`, toDetail(`x::${id}`)]))
    const engine = directoryOf(functions)
    const asked: (readonly string[])[] = []
    const describe = (ids: readonly string[]) => {
      asked.push(ids)
      return engine.describe(ids)
    }
    let seen = 0
    const onLook = () => void seen++
    const catalog = createCatalog({ directory: { ...engine, describe }, rules, log, freshMs: 0, onLook })
    await catalog.list('inlined', EVERYBODY)
    await catalog.list('inlined', EVERYBODY)
    expect([asked, seen]).toEqual([[['x::a', 'x::b', 'x::c']], 1])
    functions.delete('x::a')
    functions.set('x::b', { ...toDetail('x::b'), metadata: { 'mcp.title': 'B' } })
    functions.set('x::c', { ...toDetail('x::c'), requestSchema: { type: 'object', title: 'C' } })
    functions.set('x::d', toDetail('x::d'))
    const listed = readyMembers(await catalog.list('inlined', EVERYBODY))
    expect([asked.slice(1), seen]).toEqual([[['x::b', 'x::d']], 2])
    expect(JSON.parse(`{${listed}}`).tools.map(({ name }: { name: string }) => name)).toEqual(['x__b', 'x__c', 'x__d'])
    expect(listed).not.toContain('"title":"C"')
    await catalog.refresh()
    expect(readyMembers(await catalog.list('inlined', EVERYBODY))).toContain('"title":"C"')
    catalog.close()
  })

  it('keeps the last one when the engine does not answer, and says why when there never was one', async () => {
    const functions = new Map([['x::y', toDetail('x::y')]])
    let down = true
    const working = directoryOf(functions)
    const directory: Pick<Directory, 'list' | 'describe'> = {
      ...working,
      list: () => (down ? Promise.reject(new Error('no answer')) : working.list()),
    }
    const catalog = createCatalog({ directory, rules, log })
    await expect(catalog.list('inlined', EVERYBODY)).rejects.toThrow('no answer')
    down = false
    await catalog.refresh()
    down = true
    await expect(catalog.refresh()).rejects.toThrow('no answer')
    expect(readyMembers(await catalog.list('inlined', EVERYBODY))).toContain('x__y')
    catalog.close()
  })

  it('takes in what the gate learns', async () => {
    const functions = new Map([['x::y', toDetail('x::y')]])
    const catalog = createCatalog({ directory: directoryOf(functions), rules, log })
    await catalog.refresh()
    catalog.learn('x::z', toDetail('x::z', 'new'))
    catalog.learn('x::y', { ...toDetail('x::y'), metadata: { 'mcp.expose': false } })
    expect(JSON.parse(`{${readyMembers(await catalog.list('inlined', EVERYBODY))}}`)).toEqual({
      tools: [{ name: 'x__z', description: 'new', inputSchema: { type: 'object', properties: {} } }],
    })
    catalog.learn('x::z', undefined)
    expect(readyMembers(await catalog.list('inlined', EVERYBODY))).toBe('"tools":[]')
    catalog.close()
  })

  it('knows of each function whether it is there, hidden ones too', async () => {
    const functions = new Map(['x::a', 'skills::list'].map((id) => [id, toDetail(id)]))
    const catalog = createCatalog({ directory: directoryOf(functions), rules, log, freshMs: 0 })
    const ids = ['x::a', 'skills::list', 'x::b']
    expect(ids.map(catalog.isThere)).toEqual([false, false, false])
    await catalog.refresh()
    expect(ids.map(catalog.isThere)).toEqual([true, true, false])
    functions.delete('skills::list')
    await catalog.refresh()
    expect(ids.map(catalog.isThere)).toEqual([true, false, false])
    catalog.close()
  })

  it('knows of each function whether its results are promised', async () => {
    const responseSchema = { type: 'object', properties: [] }
    const hopeless = { type: 'object', $ref: '#' }
    const catalog = createCatalog({ directory: directoryOf(new Map()), rules, log })
    catalog.learn('x::early', { ...toDetail('x::early'), responseSchema })
    expect(catalog.hasOutputSchema('x::early')).toBe(true)
    await catalog.refresh()
    catalog.learn('x::late', { ...toDetail('x::late'), responseSchema })
    catalog.learn('x::hopeless', { ...toDetail('x::hopeless'), responseSchema: hopeless })
    const ids = ['x::early', 'x::late', 'x::hopeless', 'x::none']
    expect(ids.map(catalog.hasOutputSchema)).toEqual([false, true, false, false])
    catalog.close()
  })

  it('looks at the whole engine again when the gate finds something gone', async () => {
    const functions = new Map([
      ['x::y', toDetail('x::y')],
      ['x::z', toDetail('x::z')],
    ])
    const catalog = createCatalog({ directory: directoryOf(functions), rules, log, settleMs: 1 })
    await catalog.refresh()
    functions.clear()
    catalog.learn('x::y', undefined)
    await untilAnswer(
      async () => readyMembers(await catalog.list('inlined', EVERYBODY)),
      (members) => members === '"tools":[]',
    )
    catalog.close()
  })
})
