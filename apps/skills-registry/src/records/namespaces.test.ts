import { startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const log = createLog({ name: 'test', level: 'silent' })

/** A worker whose function tells where it is. */
async function reside(url: string, namespace: string | undefined): Promise<Worker> {
  const worker = registerWorker(url, { name: 'shop', namespace, log })
  worker.registerFunction('shop::say', () => `in ${namespace ?? 'default'}`)
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

const say = (worker: Worker, function_id: string, payload: object) =>
  worker.trigger({ function_id, namespace: 'default', payload })
const prompt = (name: string) => ({ name, description: 'x', function_id: 'shop::say' })
const text = async (registry: TestRegistry, uri: string) =>
  (await registry.call<{ contents: { text: string }[] }>('skills::resources-read', { uri })).contents[0]?.text

describe('a registry on an engine with namespaces', () => {
  it('tells workers of one name apart, and lets neither change what the other registered', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using here = await reside(engine.url, undefined)
    await using there = await reside(engine.url, 'orders')
    await say(here, 'skills::register', { id: 'a', skill: '# A' })
    await say(there, 'skills::register', { id: 'b', skill: '# B' })
    const { skills } = await registry.call<{ skills: { owner?: string }[] }>('skills::list')
    expect(skills.map(({ owner }) => owner)).toEqual(['shop', '@orders/shop'])
    const refusals = await Promise.all([
      say(there, 'skills::register', { id: 'a', skill: '# Mine' }).catch(toFault),
      say(here, 'skills::unregister', { id: 'b' }).catch(toFault),
    ])
    expect(refusals).toMatchObject([{ code: 'forbidden' }, { code: 'forbidden' }])
  })

  it('is not deceived by a name that reads as one of elsewhere', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using there = await reside(engine.url, 'orders')
    await using eve = registerWorker(engine.url, { name: '@orders/shop', log })
    await eve.ready({ timeoutMs: 5_000 })
    await say(there, 'skills::register', { id: 'b', skill: '# B' })
    expect(await say(eve, 'skills::unregister', { id: 'b' }).catch(toFault)).toMatchObject({ code: 'forbidden' })
    await say(eve, 'skills::register', { id: 'c', skill: '# C' })
    const { skills } = await registry.call<{ skills: { owner?: string }[] }>('skills::list')
    expect(skills.map(({ owner }) => owner)).toEqual(['@orders/shop', '@default/@orders/shop'])
  })

  it('calls the function of a prompt where the worker is that registered it, and of a section where its address says', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using registry = await startRegistry(engine.url)
    await using here = await reside(engine.url, undefined)
    await using there = await reside(engine.url, 'orders')
    await say(here, 'prompts::register', prompt('p'))
    await say(there, 'prompts::register', prompt('q'))
    const { prompts } = await registry.call<{ prompts: object[] }>('prompts::list')
    expect(prompts).toMatchObject([{ name: 'p' }, { name: 'q', namespace: 'orders' }])
    expect(prompts[0]).not.toHaveProperty('namespace')
    const said = await Promise.all(['p', 'q'].map((name) => registry.call('prompts::mcp-get', { name })))
    expect(said.map((answer) => JSON.stringify(answer).match(/in \w+/)?.[0])).toEqual(['in default', 'in orders'])
    expect([await text(registry, 'iii://fn/shop/say'), await text(registry, 'iii://fn/@orders/shop/say')]).toEqual([
      'in default',
      'in orders',
    ])
    expect(await registry.refusal('skills::resources-read', { uri: 'iii://fn/@orders/state/get' })).toMatch(
      /internal namespace/,
    )
    const lost = await registry.refusal('skills::resources-read', { uri: 'iii://fn/@nowhere/shop/say' })
    expect(lost).toBe("trigger shop::say: Function 'shop::say' is not registered. [unavailable]")
  })

  it.each([undefined, 'orders'])('says where the bridge is to whom it calls elsewhere, from %s', async (own) => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using registry = await startRegistry(engine.url, {}, false, own)
    const heard = new Map<string, unknown>()
    const hear = async (namespace: string) => {
      const worker = registerWorker(engine.url, { name: 'shop', namespace, log })
      worker.registerFunction('shop::hear', (_: unknown, metadata) => {
        heard.set(namespace, metadata)
        return 'heard'
      })
      await worker.ready({ timeoutMs: 5_000 })
      return worker
    }
    await using _here = await hear('default')
    await using _there = await hear('orders')
    const read = (mcp: object, where: string) =>
      registry.client.trigger({
        function_id: 'skills::resources-read',
        payload: { uri: `iii://fn/${where}shop/hear` },
        metadata: { mcp: { call_id: 'c1', via: 'mcp::b1', ...mcp } },
      })
    const [home, elsewhere] = own === undefined ? ['default', 'orders'] : ['orders', 'default']
    await read({}, '')
    await read({}, `@${elsewhere}/`)
    expect(heard.get(home)).not.toHaveProperty('mcp.via_namespace')
    expect(heard.get(elsewhere)).toHaveProperty('mcp.via_namespace', home)
    await read({ via_namespace: elsewhere }, '')
    await read({ via_namespace: elsewhere }, `@${elsewhere}/`)
    expect(heard.get(home)).toHaveProperty('mcp.via_namespace', elsewhere)
    expect(heard.get(elsewhere)).not.toHaveProperty('mcp.via_namespace')
  })

  it('keeps its rows apart from those of a registry in another one', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using here = await startRegistry(engine.url)
    await using there = await startRegistry(engine.url, {}, false, 'orders')
    await here.call('skills::register', { id: 'a', skill: '# A' })
    await there.call('skills::register', { id: 'b', skill: '# B' })
    const ids = async (registry: TestRegistry) =>
      (await registry.call<{ skills: { id: string; owner: string }[] }>('skills::list')).skills
    expect([await ids(here), await ids(there)]).toMatchObject([
      [{ id: 'a', owner: 'client' }],
      [{ id: 'b', owner: 'client' }],
    ])
    expect(await engine.call('state::get', { scope: 'skills@orders', key: 'b' })).toMatchObject({ id: 'b' })
    expect(await engine.call('state::get', { scope: 'skills', key: 'b' })).toBeUndefined()
  })
})
