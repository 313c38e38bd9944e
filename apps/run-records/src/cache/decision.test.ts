import { describe, expect, it } from 'vitest'
import { createDigests } from '../record/digests.ts'
import { type TaskDefinition, toTask } from '../tasks/task.ts'
import { type CacheQuestion, decideOnCache } from './decision.ts'
import { type Inputs, toCacheKey, toIngredients } from './key.ts'
import { isFailure, isStorable } from './storable.ts'

const digests = createDigests('a key')
const NOW = Date.parse('2026-11-22T12:00:00Z')

function createDefinition(metadata: Record<string, unknown> = {}, more: Partial<TaskDefinition> = {}): TaskDefinition {
  const task = toTask({ id: 'orders::collect', metadata: { 'runs.cache': { ttl_ms: 60_000 }, ...metadata } })
  if (task === undefined) throw new Error('no task')
  return { ...task, requestSchema: {}, responseSchema: {}, ...more }
}

function createInputs(change: Partial<Inputs> = {}): Inputs {
  return { definition: createDefinition(), payload: { day: 'today' }, needs: { 'orders::list': 'd1' }, ...change }
}

function ask(before: Inputs | undefined, after: Inputs, change: Partial<CacheQuestion> = {}) {
  const baseline = before && { run_id: 'R1', finished_at: '', ingredients: toIngredients(before, digests), result: 'd' }
  const ingredients = toIngredients(after, digests)
  return decideOnCache({
    task: after.definition,
    force: false,
    ingredients,
    stored: undefined,
    baseline,
    now: NOW,
    ...change,
  })
}

function createStored(storedAt: string) {
  return { run_id: 'R1', task: 'orders::collect', stored_at: storedAt, output: 1, result: 'd' }
}

describe('the decision on a cached result', () => {
  it('is a hit while it is not too old', () => {
    const inputs = createInputs()
    expect(ask(inputs, inputs, { stored: createStored('2026-11-22T11:59:30Z') })).toEqual({
      decision: 'hit',
      reason: 'same definition, input and dependencies',
      run_id: 'R1',
    })
    for (const storedAt of ['2026-11-22T11:59:00Z', '2026-11-22T12:00:01Z', 'nonsense']) {
      expect(ask(inputs, inputs, { stored: createStored(storedAt) })).toEqual({ decision: 'miss', reason: 'expired' })
    }
  })

  it.each<[string, Partial<Inputs>]>([
    ['input changed: /day', { payload: { day: 'tomorrow' } }],
    ['input added: /hour', { payload: { day: 'today', hour: 1 } }],
    ['input removed: /day', { payload: {} }],
    ['definition changed', { definition: createDefinition({}, { requestSchema: { type: 'object' } }) }],
    ['dependency orders::list changed', { needs: { 'orders::list': 'd2' } }],
    [
      'version changed; dependency orders::list changed',
      { definition: createDefinition({ 'runs.cache': { ttl_ms: 60_000, version: '2' } }), needs: {} },
    ],
    ['not in the cache', {}],
  ])('says why it is a miss: %s', (reason, change) => {
    expect(ask(createInputs(), createInputs(change))).toEqual({ decision: 'miss', reason })
  })

  it('says that a task never passed, is not to be cached, or was forced', () => {
    const inputs = createInputs()
    const of = (metadata: Record<string, unknown>) =>
      ask(inputs, createInputs({ definition: createDefinition(metadata) }))
    expect(ask(undefined, inputs)).toEqual({ decision: 'miss', reason: 'never passed' })
    expect(ask(inputs, inputs, { force: true })).toEqual({ decision: 'bypassed', reason: 'force' })
    expect(of({ 'runs.cache': 7 })).toMatchObject({ decision: 'disabled', reason: 'no runs.cache in its metadata' })
    expect(of({ 'mcp.annotations': { destructiveHint: true } })).toMatchObject({ decision: 'disabled' })
    expect(of({ 'runs.record': 'digest' }).reason).toBe('runs.record is digest: its result is not kept')
  })

  it('tells no more pointers than a line can hold', () => {
    const payload = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]))
    expect(ask(createInputs({ payload: {} }), createInputs({ payload })).reason).toBe(
      'input added: /k0, /k1, /k2, /k3, /k4 and 4 more',
    )
  })
})

describe('the key of a cached result', () => {
  it('is the same for the same, however it is written and whichever process serves it', () => {
    const key = toCacheKey(createInputs({ payload: { a: 1, b: [{ x: 1, y: 2 }] } }), digests)
    const definition = createDefinition({ 'iii.instance': 'another process' }, { worker: 'another name' })
    expect(toCacheKey(createInputs({ payload: { b: [{ y: 2, x: 1 }], a: 1 }, definition }), digests)).toBe(key)
  })

  it('differs with each ingredient, and holds no value', () => {
    const keys = [
      {},
      { payload: { day: 'tomorrow' } },
      { needs: {} },
      { definition: createDefinition({ 'runs.cache': { ttl_ms: 60_000, version: 'b' } }) },
      { definition: createDefinition({}, { description: 'mended' }) },
      { definition: createDefinition({}, { responseSchema: { type: 'string' } }) },
    ].map((change) => toCacheKey(createInputs(change), digests))
    expect(new Set(keys).size).toBe(keys.length)
    expect(toCacheKey(createInputs(), createDigests('another key'))).not.toBe(keys[0])
  })
})

describe('a result', () => {
  it.each([
    [{ isError: true, content: [] }, true],
    [{ result_type: 'input_required', input_requests: {} }, true],
    [{ isError: 'true' }, false],
    [null, false],
    ['isError', false],
  ])('%j is a failure: %s', (output, expected) => expect(isFailure(output)).toBe(expected))

  it('is stored when it is whole, small, no failure and may be kept', () => {
    const task = createDefinition()
    const whole = { output: { a: 1 }, isPartial: false }
    expect(isStorable(task, whole)).toBe(true)
    expect(isStorable(task, { output: undefined, isPartial: false })).toBe(true)
    expect(isStorable(task, { ...whole, isPartial: true })).toBe(false)
    expect(isStorable(task, { ...whole, output: { isError: true } })).toBe(false)
    expect(isStorable(task, { ...whole, output: 'x'.repeat(256 * 1024) })).toBe(false)
    expect(isStorable(createDefinition({ 'runs.record': 'nonsense' }), whole)).toBe(false)
    expect(isStorable(createDefinition({ mcp: { annotations: { destructiveHint: true } } }), whole)).toBe(false)
  })
})
