import { startMockEngine } from '@iii/mock-engine'
import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import type { McpCall } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { RegistrySilence } from '../resources/registry.ts'
import { startBridge } from '../testing/bridge.ts'
import { createTimelyLists } from './timely-lists.ts'

describe('a list', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const call = { principal: EVERYBODY, limits: { plainMs: 25_000 } } as McpCall

  function setUp() {
    const state = { failure: undefined as Error | undefined, asked: 0, waits: 0 }
    const told: string[] = []
    const log = {
      info: (text: unknown) => told.push(`info ${text}`),
      warn: (text: unknown) => told.push(`warn ${text}`),
    }
    const timely = createTimelyLists({ log, patienceMs: 4_000, onWhole: (kind) => told.push(kind) })
    const whole = async ({ limits }: McpCall) => {
      state.asked += 1
      state.waits = limits.plainMs
      if (state.failure !== undefined) throw state.failure
      return 'whole'
    }
    const toList = (kind: 'prompts' | 'resources') => timely.toTimely(kind, whole, async () => 'rest')
    return { state, told, timely, toList }
  }

  const WARNING = 'warn the registry does not answer within 4000 ms: lists are without what it has until it does'

  it('waits four seconds at most, and nobody is told of one that was whole', async () => {
    const { state, told, toList } = setUp()
    expect(await toList('prompts')(call)).toBe('whole')
    expect(state.waits).toBe(4_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([state.asked, told]).toEqual([1, []])
  })

  it('is what there is without a registry that is silent, and clients are told once when it is whole', async () => {
    const { state, told, toList } = setUp()
    state.failure = new RegistrySilence(RPC.internal, 'late')
    expect(await toList('prompts')(call)).toBe('rest')
    expect(await toList('resources')(call)).toBe('rest')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([WARNING])
    state.failure = undefined
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual([WARNING, 'prompts', 'resources', 'info the registry answers again'])
    const { asked } = state
    await vi.advanceTimersByTimeAsync(60_000)
    expect(state.asked).toBe(asked)
  })

  it('is an error where the registry says that it cannot answer', async () => {
    const { state, told, toList } = setUp()
    state.failure = new RpcError(RPC.internal, 'state::get: the store is away')
    await expect(toList('prompts')(call)).rejects.toThrow('the store is away')
    expect(told).toEqual([])
  })

  it('is looked for no more when the bridge has stopped', async () => {
    const { state, told, timely, toList } = setUp()
    state.failure = new RegistrySilence(RPC.internal, 'late')
    await toList('prompts')(call)
    timely.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([state.asked, told]).toEqual([1, [WARNING]])
  })
})

it('a bridge lists what it has itself while the registry hangs, says so, and all of it when that is over', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine, { limits: { engineTimeoutMs: 150 } })
  await using registry = registerWorker(engine.url, { name: 'hanging' })
  let goOn: () => void = () => undefined
  const hanging = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const answer = async () => {
    await hanging
    const prompts = [{ name: 'refund', function_id: 'shop::refund' }]
    return { resources: [{ uri: 'iii://orders', name: 'orders' }], resourceTemplates: [], prompts }
  }
  const { resourcesList, resourcesTemplates } = skillsFunctions
  for (const { id } of [resourcesList, resourcesTemplates, promptsFunctions.list, promptsFunctions.mcpList]) {
    registry.registerFunction(id, answer)
  }
  await registry.ready()
  const ask = async (method: string) => (await bridge.rpc(method, {})).message.result as Record<string, unknown>
  const methods = ['resources/list', 'resources/templates/list', 'prompts/list']
  const [resources, templates, prompts] = await Promise.all(methods.map(ask))
  const degraded = expect.stringContaining('The skills registry does not answer')
  expect(resources).toMatchObject({ _meta: { degraded }, resources: expect.arrayContaining([expect.anything()]) })
  expect(templates).toMatchObject({ _meta: { degraded }, resourceTemplates: expect.any(Array) })
  expect(prompts).toMatchObject({ _meta: { degraded }, prompts: expect.arrayContaining([expect.anything()]) })
  goOn()
  await vi.waitFor(async () => {
    const { resources: rows, _meta } = await ask('resources/list')
    expect([_meta, rows]).toEqual([undefined, expect.arrayContaining([expect.objectContaining({ name: 'orders' })])])
  }, 8_000)
})
