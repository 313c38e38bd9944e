import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { startManaged } from '../testing/managed-bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'

const log = createLog({ name: 'test', level: 'silent' })

/** A worker in a namespace, whose functions answer with where they are. */
async function reside(url: string, namespace: string | undefined, ids: readonly string[]): Promise<Worker> {
  const worker = registerWorker(url, { name: 'shop', namespace, log })
  for (const id of ids) {
    worker.registerFunction(id, () => `in ${namespace ?? 'default'}`, { description: `${id} of ${namespace}` })
    worker.registerTrigger({ type: 'subscribe', function_id: id, config: { topic: `${namespace} ${id}` } })
  }
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

/** Two functions of one id in three namespaces, one of each alone, and a hidden one. */
async function startStage(namespaces: readonly string[], engineVersion: '0.22' | '0.23' = '0.23') {
  const engine = await startMockEngine({ engine: engineVersion })
  const workers = [await reside(engine.url, undefined, ['shop::sell', 'shop::here'])]
  for (const namespace of engineVersion === '0.23' ? ['orders', 'v1.2'] : []) {
    workers.push(await reside(engine.url, namespace, ['shop::sell', 'shop::there', 'state::mine']))
  }
  const bridge = await startBridge(engine, { options: { namespaces } })
  return {
    engine,
    bridge,
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.shutdown()))
      await bridge[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

async function read(bridge: TestBridge, uri: string): Promise<Record<string, unknown>[]> {
  const { contents } = await bridge.result<{ contents: { text: string }[] }>('resources/read', { uri })
  return JSON.parse(contents[0]?.text ?? '') as Record<string, unknown>[]
}

const OWN = ['shop__here', 'shop__sell']
const called = async (bridge: TestBridge, name: string) => (await bridge.call(name)).content[0]?.text

describe('a bridge on an engine with namespaces', () => {
  it('shows what is in its own and nothing else', async () => {
    await using stage = await startStage([])
    const { bridge } = stage
    expect(await bridge.toolNames()).toEqual(OWN)
    expect(await called(bridge, 'shop__sell')).toBe('in default')
    expect((await bridge.rpc('tools/call', { name: 'orders___shop__sell' })).message.error?.message).toBe(
      'Unknown tool: orders___shop__sell. Did you mean shop__sell? tools/list has all of them',
    )
    expect((await read(bridge, 'iii://functions')).map(({ function_id }) => function_id)).toEqual([
      'shop::here',
      'shop::sell',
    ])
    expect(await read(bridge, 'iii://workers')).toMatchObject([
      { name: 'shop', functions: ['shop::here', 'shop::sell'] },
    ])
    expect((await read(bridge, 'iii://triggers')).map(({ config }) => config)).toEqual([
      { topic: 'undefined shop::here' },
      { topic: 'undefined shop::sell' },
    ])
    const { resourceTemplates } = await bridge.result<{ resourceTemplates: unknown[] }>('resources/templates/list')
    expect(resourceTemplates).toHaveLength(3)
    for (const uri of ['iii://fn/@orders/shop/there', 'iii://functions/@orders/shop::there']) {
      const { error } = (await bridge.rpc('resources/read', { uri })).message
      expect([error?.code, JSON.stringify(error)]).toEqual([-32002, expect.stringContaining('is not registered')])
    }
  })

  it('takes its own name in an address for where it is, as those of bridges elsewhere have it', async () => {
    await using stage = await startStage([])
    await using registry = await startSkillsWorker(stage.engine.url)
    await registry.worker.ready()
    const uri = 'iii://functions/@default/shop::sell'
    expect(await read(stage.bridge, uri)).toEqual(await read(stage.bridge, 'iii://functions/shop::sell'))
    const section = { uri: 'iii://fn/@default/shop/sell' }
    const { contents } = await stage.bridge.result<{ contents: object[] }>('resources/read', section)
    expect(contents).toMatchObject([section])
  })

  it('shows another one that it is told to, without changing a byte of its own', async () => {
    await using narrow = await startStage([])
    await using wide = await startStage(['orders'])
    const { bridge } = wide
    const list = async (of: TestBridge) => (await of.result<{ tools: { name: string }[] }>('tools/list')).tools
    const [own, all] = await Promise.all([list(narrow.bridge), list(bridge)])
    expect(JSON.stringify(all.slice(0, own.length))).toBe(JSON.stringify(own))
    expect(all.slice(own.length)).toMatchObject([
      {
        name: 'orders___shop__sell',
        title: 'shop::sell (orders)',
        description: 'shop::sell of orders\n\nIn the namespace orders.',
      },
      { name: 'orders___shop__there' },
    ])
    expect(await called(bridge, 'shop__sell')).toBe('in default')
    expect(await called(bridge, 'orders___shop__sell')).toBe('in orders')
    const hidden = await bridge.call('orders___state__mine')
    expect(hidden.content[0]?.text).toContain('is in the iii-engine internal namespace')
  })

  it('reads what is elsewhere at addresses of their own', async () => {
    await using stage = await startStage(['orders'])
    const { bridge } = stage
    expect(await read(bridge, 'iii://functions/@orders/shop::sell')).toMatchObject({
      function_id: 'shop::sell',
      namespace: 'orders',
    })
    expect(await read(bridge, 'iii://functions/shop::sell')).not.toHaveProperty('namespace')
    expect(await read(bridge, 'iii://workers/@orders/shop')).toMatchObject({
      name: 'shop',
      namespace: 'orders',
      function_count: 2,
    })
    expect(await read(bridge, 'iii://workers/shop')).toMatchObject({ functions: ['shop::here', 'shop::sell'] })
    const triggers = await read(bridge, 'iii://triggers')
    expect(triggers.map(({ function_id, namespace, config }) => [function_id, namespace, config])).toEqual([
      ['shop::here', undefined, { topic: 'undefined shop::here' }],
      ['shop::sell', undefined, { topic: 'undefined shop::sell' }],
      ['shop::sell', 'orders', { topic: 'orders shop::sell' }],
      ['shop::there', 'orders', { topic: 'orders shop::there' }],
    ])
    const placed = triggers.find(({ namespace }) => namespace === 'orders')
    expect(await read(bridge, `iii://triggers/@orders/${String(placed?.['id'])}`)).toEqual(placed)
    const template = { ref: { type: 'ref/resource', uri: 'iii://functions/@{namespace}/{id}' } }
    const complete = async (name: string) =>
      (
        await bridge.result<{ completion: { values: string[] } }>('completion/complete', {
          ...template,
          argument: { name, value: '' },
        })
      ).completion.values
    expect([await complete('namespace'), await complete('id')]).toEqual([['orders'], ['shop::sell', 'shop::there']])
  })

  it('shows all of them, also one whose name fits in no name of a tool and in no address', async () => {
    await using stage = await startStage(['*'])
    const { bridge } = stage
    const names = await bridge.toolNames()
    const hashed = names.filter((name) => /^v1_2__shop__(sell|there)___[0-9a-f]{8}$/.test(name))
    expect(names).toEqual([...OWN, 'orders___shop__sell', 'orders___shop__there', ...hashed])
    expect(hashed).toHaveLength(2)
    expect(await called(bridge, hashed[0] ?? '')).toBe('in v1.2')
    bridge.set({ namespaces: [] })
    expect(await bridge.toolNames()).toEqual(OWN)
    expect((await bridge.rpc('tools/call', { name: hashed[0] })).message.error?.code).toBe(-32602)
  })

  it('has nothing to show beside its own where the engine has no namespaces', async () => {
    await using stage = await startStage(['orders', '*'], '0.22')
    const { bridge } = stage
    expect(await bridge.toolNames()).toEqual(OWN)
    const { error } = (await bridge.rpc('tools/call', { name: 'orders___shop__sell' })).message
    expect(error?.message).toBe(
      'Unknown tool: orders___shop__sell. Did you mean shop__sell? tools/list has all of them',
    )
  })

  it('fires and attaches functions of what it shows alone', async () => {
    await using stage = await startStage(['orders'])
    const { bridge } = stage
    bridge.set({ httpBuiltins: true })
    const listed = JSON.stringify(await bridge.result('tools/list'))
    expect(listed.match(/this server's own namespace when it is left out/g)).toHaveLength(3)
    const fire = async (namespace: unknown, function_id = 'shop::there') =>
      (await bridge.call('iii_trigger_void', { function_id, namespace, payload: {} })).content[0]?.text
    expect(await fire('orders')).toBe('Triggered (void): shop::there')
    expect(await fire('default', 'shop::here')).toBe('Triggered (void): shop::here')
    expect(await fire(undefined)).toContain("Function 'shop::there' is not registered on the engine")
    expect(await fire('v1.2')).toContain("Namespace 'v1.2' is not shown on this server")
    expect(await fire('orders', 'state::mine')).toContain('internal namespace')
    const queued = { function_id: 'shop::there', namespace: 'v1.2', payload: {} }
    expect((await bridge.call('iii_trigger_enqueue', queued)).content[0]?.text).toContain(
      "Namespace 'v1.2' is not shown on this server",
    )
    for (const blank of ['', ' ', 7, {}])
      expect(await fire(blank)).toContain('namespace must be the name of a namespace')
  })

  it('attaches no trigger to what it does not show, nor one where that is asked for by something that is no name', async () => {
    await using stage = await startStage([])
    await using managed = await startManaged(stage.engine.url, { options: { namespaces: ['orders'] } })
    const attach = async (namespace: unknown) => {
      const cron = { trigger_type: 'cron', function_id: 'shop::there', config: { expression: '0 0 0 1 1 *' } }
      return managed.call('iii_trigger_register', { ...cron, namespace })
    }
    expect((await attach('v1.2')).text).toContain("Namespace 'v1.2' is not shown on this server")
    for (const blank of ['', ' ', 7, {}])
      expect((await attach(blank)).text).toContain('namespace must be the name of a namespace')
    expect(await attach('orders')).toMatchObject({ isError: false })
  })
})
