import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { startScriptedStage } from '../testing/start-worker.ts'
import { askNamespaces, explainUnusual, toCallNamespace, toNamespace } from './namespace.ts'

describe('a namespace', () => {
  it.each([
    [undefined, undefined],
    ['default', undefined],
    [' default ', undefined],
    [' orders', 'orders'],
    ['Orders', 'Orders'],
  ])('%j is said as %j', (given, said) => {
    expect(toNamespace(given)).toBe(said)
  })

  it.each(['', '  ', 7, null, {}])('is not %j', (given) => {
    expect(() => toNamespace(given)).toThrow(
      typeof given === 'string'
        ? "The namespace is blank: name one, for example 'orders', or leave it out for 'default'"
        : "A namespace is a text, for example 'orders'",
    )
  })

  it('that not every tool takes is said to be one', () => {
    expect([undefined, 'orders', 'a_b-1'].map(explainUnusual)).toEqual([undefined, undefined, undefined])
    for (const unusual of ['Orders', 'a b', 'ä', 'a.b']) expect(explainUnusual(unusual)).toContain(`'${unusual}'`)
  })
})

describe('a call from a namespace', () => {
  it.each([
    ['orders::count', undefined, 'shop', 'shop'],
    ['orders::count', undefined, undefined, undefined],
    ['orders::count', 'default', 'shop', undefined],
    ['orders::count', 'other', 'shop', 'other'],
    ['state::get', undefined, 'shop', undefined],
    ['state::get', 'shop', undefined, 'shop'],
    ['publish', undefined, 'shop', undefined],
    ['publishing::now', undefined, 'shop', 'shop'],
    ['engine::health::check', undefined, 'shop', undefined],
    ['configuration::get', undefined, 'shop', undefined],
    ['stream::set', undefined, 'shop', undefined],
    ['iii::durable::publish', undefined, 'shop', undefined],
  ])('of %s, named %s, from %s, goes to %s', (id, named, own, where) => {
    expect(toCallNamespace(id, named, own)).toBe(where)
  })

  it('says where it goes, and who calls is there', async () => {
    await using stage = await startScriptedStage({ namespace: 'shop' })
    const presentation = await stage.peer.next('invokefunction')
    expect(presentation).toMatchObject({ data: { namespace: 'shop' } })
    expect('namespace' in presentation).toBe(false)
    void stage.worker.trigger({ function_id: 'orders::count' }).catch(() => undefined)
    expect(await stage.peer.next('invokefunction')).toMatchObject({ function_id: 'orders::count', namespace: 'shop' })
    stage.worker.registerTrigger({ type: 'cron', function_id: 'orders::count', config: { expression: '@daily' } })
    expect(await stage.peer.next('registertrigger')).toMatchObject({ namespace: 'shop' })
    await expect(stage.worker.trigger({ function_id: 'a::b', namespace: ' ' })).rejects.toThrow(
      'The namespace is blank',
    )
    expect(() => stage.worker.registerTrigger({ type: 'state', function_id: 'a::b', namespace: '' })).toThrow(
      'is blank',
    )
  })

  it('is not in any frame of a worker in default', async () => {
    await using stage = await startScriptedStage({ namespace: 'default' })
    stage.worker.registerFunction('a::b', () => null)
    stage.worker.registerTrigger({ type: 'cron', function_id: 'a::b', config: { expression: '@daily' } })
    void stage.worker.trigger({ function_id: 'a::b' }).catch(() => undefined)
    await stage.worker.ready()
    expect(stage.peer.texts.filter((text) => text.includes('"namespace"'))).toEqual([])
  })
})

it.each<[EngineGeneration, boolean]>([
  ['0.22', false],
  ['0.23', true],
])('an engine like %s has namespaces: %s', async (engine, expected) => {
  await using stage = await startMockStage(() => startMockEngine({ engine }))
  expect(await askNamespaces(await stage.connect({ name: 'shop' }))).toBe(expected)
})

it('an engine that shows this worker nobody tells nothing', async () => {
  const asking = (answer: Promise<unknown>) => askNamespaces({ workerId: 'w-1', trigger: () => answer as never })
  expect(await asking(Promise.resolve({ workers: [{ id: 'w-2', namespace: 'default' }] }))).toBeUndefined()
  expect(await asking(Promise.reject(new Error('FORBIDDEN')))).toBeUndefined()
})
