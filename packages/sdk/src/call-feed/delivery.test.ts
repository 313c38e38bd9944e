import type { McpCallBatch } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { TriggerRequest } from '../engine/call.ts'
import { InvocationError } from '../engine/invocation-error.ts'
import { createBatchDelivery, DELIVERY_LIMITS, type DeliveryLimits } from './delivery.ts'
import type { Entry } from './entry.ts'

const binding = { id: 'b', function_id: 'listener::on-call', config: { inputs: true }, metadata: { mine: 1 } }
const entry = (at: number): Entry => ({
  record: { call_id: `c${at}` } as Entry['record'],
  endedAt: at,
  input: { at },
  inputBytes: 8,
})

/** A subscriber that answers as the test says. */
function stage(answer: () => unknown, limits: Partial<DeliveryLimits> = {}) {
  const told: (McpCallBatch & { metadata: unknown })[] = []
  const lines: string[] = []
  const note = (...[, text]: unknown[]) => void lines.push(String(text))
  const log = { debug: () => undefined, info: note, warn: note, error: note, child: () => log }
  const trigger = async ({ payload, metadata }: TriggerRequest) => {
    told.push({ ...(payload as McpCallBatch), metadata })
    return answer()
  }
  const worker = { state: 'connected' as const, trigger: trigger as never }
  const quick = { ...DELIVERY_LIMITS, batchMs: 5, awayMs: 5, ...limits }
  const delivery = createBatchDelivery(binding, { worker, via: 'mcp::b1', limits: quick, log })
  const ids = () => told.map(({ calls }) => calls.map(({ call_id }) => call_id))
  return {
    delivery,
    told,
    ids,
    lines,
    heard: (count: number) => vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(count)),
  }
}

describe('a delivery', () => {
  it('tells full batches at once and the rest a moment later, with what the binding says', async () => {
    const { delivery, told, ids, heard } = stage(() => ({}), { batch: 3, batchMs: 30 })
    for (const at of [1, 2, 3, 4]) delivery.add(entry(at))
    expect(ids()).toEqual([['c1', 'c2', 'c3']])
    await heard(2)
    expect(ids()[1]).toEqual(['c4'])
    expect(told[1]).toEqual({
      version: 1,
      via: 'mcp::b1',
      calls: [{ call_id: 'c4', input: { at: 4 } }],
      metadata: { mine: 1 },
    })
    delivery.bind({ ...binding, config: {}, metadata: undefined })
    delivery.add(entry(5))
    await heard(3)
    expect(told[2]).toMatchObject({ calls: [{ call_id: 'c5' }], metadata: { mine: 1 } })
    expect(told[2]?.calls[0]).not.toHaveProperty('input')
  })

  it('tells a subscriber that names kinds, decisions, principals or functions of those calls alone', async () => {
    const { delivery, ids, heard } = stage(() => ({}), { batch: 2 })
    const say = (record: object) => delivery.add({ ...entry(0), record: record as Entry['record'] })
    delivery.bind({
      ...binding,
      config: { kinds: ['tool'], principals: ['token:ci', 'jwt:*'], functions: ['orders::*'] },
    })
    say({ call_id: 'other-kind', kind: 'prompt', principal: 'token:ci', function_id: 'orders::a' })
    say({ call_id: 'other-principal', kind: 'tool', principal: 'token:cia', function_id: 'orders::a' })
    say({ call_id: 'no-function', kind: 'tool', principal: 'token:ci' })
    say({ call_id: 'first', kind: 'tool', principal: 'token:ci', function_id: 'orders::a' })
    say({ call_id: 'second', kind: 'tool', principal: 'jwt:x:ada', function_id: 'orders::b' })
    delivery.bind({ ...binding, config: { decisions: ['auth', 'limit'] } })
    for (const decision of ['allow', 'limit', undefined, 'auth'])
      say({ call_id: decision ?? 'none', kind: 'tool', decision })
    await heard(2)
    expect(ids()).toEqual([
      ['first', 'second'],
      ['limit', 'auth'],
    ])
  })

  it('counts what comes while too many wait', async () => {
    let release: (value: unknown) => void = () => undefined
    const stuck = new Promise((resolve) => {
      release = resolve
    })
    const { delivery, told, ids, heard } = stage(() => stuck, { batch: 2, waiting: 2 })
    for (const at of [1, 2, 3, 4, 5, 6]) delivery.add(entry(at))
    release(undefined)
    await heard(2)
    expect(ids()).toEqual([
      ['c1', 'c2'],
      ['c3', 'c4'],
    ])
    expect(told[1]?.gap).toMatchObject({ dropped: 2 })
  })

  it('counts a batch that nobody took, and says so once', async () => {
    let isWell = false
    const { delivery, told, lines, heard } = stage(() => {
      if (!isWell) throw new InvocationError('TIMEOUT', 'no answer', binding.function_id)
    })
    delivery.add(entry(1))
    await heard(1)
    delivery.add(entry(2))
    await heard(2)
    expect(told[1]?.gap).toMatchObject({ dropped: 1 })
    isWell = true
    delivery.add(entry(3))
    await heard(3)
    expect(told[2]).toMatchObject({ calls: [{ call_id: 'c3' }], gap: { dropped: 2 } })
    expect(lines).toEqual(['a subscriber did not take records of calls', 'the subscriber takes records of calls again'])
  })

  it('keeps everything for a function that is not there yet, and while the subscriber is away', async () => {
    let tries = 0
    const { delivery, told, ids, heard } = stage(() => {
      tries += 1
      if (tries < 4) throw new InvocationError('function_not_found', 'nobody offers it', binding.function_id)
    })
    delivery.add(entry(1))
    await heard(4)
    expect(ids()).toEqual([['c1'], ['c1'], ['c1'], ['c1']])
    delivery.hold()
    delivery.add(entry(2))
    await delivery.flush()
    expect(told).toHaveLength(4)
    delivery.bind(binding)
    await heard(5)
    expect(ids()[4]).toEqual(['c2'])
    expect(told[4]).not.toHaveProperty('gap')
  })
})
