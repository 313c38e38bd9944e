import { startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function connect(url: string, name: string, functionId?: string): Promise<Worker> {
  const worker = registerWorker(url, { name, log })
  if (functionId !== undefined) worker.registerFunction(functionId, () => null)
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

const register = (worker: Worker, id: string) =>
  worker.trigger({ function_id: 'skills::register', payload: { id, skill: `# ${id}` } }).then(() => 'taken', toFault)

const owners = async (registry: TestRegistry) =>
  Object.fromEntries(
    (await registry.call<{ skills: { id: string; owner: string }[] }>('skills::list')).skills.map(({ id, owner }) => [
      id,
      owner,
    ]),
  )

it('a process that had to take a name of its own owns what its worker owns, also when it has both names', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using registry = await startRegistry(engine.url, { ownership: 'strict' })
  await using first = await connect(engine.url, 'shop', 'shop::sell')
  await using twin = await connect(engine.url, 'shop', 'shop::other')
  expect([
    await register(first, 'a'),
    await register(twin, 'a'),
    await register(twin, 'b'),
    await register(first, 'b'),
  ]).toEqual(Array(4).fill('taken'))
  expect(await owners(registry)).toEqual({ a: 'shop', b: 'shop' })
})

it('a stranger owns nothing by choosing a name that looks like that, nor by one behind such a name', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using registry = await startRegistry(engine.url, { ownership: 'strict' })
  await using first = await connect(engine.url, 'shop', 'shop::sell')
  await using twin = await connect(engine.url, 'shop', 'shop::other')
  await register(first, 'a')
  const twinName = `shop-${twin.instance.slice(0, 8)}`
  const strangers = [
    await connect(engine.url, 'shop-deadbeef', 'eve::f'),
    await connect(engine.url, 'shop-0badcafe'),
    // Refused this name, it goes by one behind it.
    await connect(engine.url, twinName, 'eve::g'),
  ]
  for (const eve of strangers) {
    expect(await register(eve, 'a')).toMatchObject({ code: 'forbidden' })
    expect(await register(eve, 'a')).toMatchObject({ code: 'forbidden' })
    await eve.shutdown()
  }
  expect(await owners(registry)).toEqual({ a: 'shop' })
})

it('where nobody is refused a name, each name is its own owner', async () => {
  await using engine = await startMockEngine({ engine: '0.22' })
  await using registry = await startRegistry(engine.url, { ownership: 'strict' })
  await using own = registerWorker(engine.url, { name: 'shop', naming: 'own', log })
  own.registerFunction('shop::sell', () => null)
  await own.ready({ timeoutMs: 5_000 })
  await register(own, 'a')
  expect(await owners(registry)).toEqual({ a: `shop-${own.instance.slice(0, 8)}` })
})
