import { describe, expect, it } from 'vitest'
import { createSight } from '../../gate/sight.ts'
import { toFunctionRow, toTriggerRows, toWorkerRows } from './rows.ts'

describe('a function', () => {
  const nothing = { description: undefined, requestSchema: undefined, responseSchema: undefined, metadata: undefined }

  it('is told as it was registered, and as null where nothing was said', () => {
    expect(toFunctionRow({ id: 'a::b', ...nothing })).toEqual({
      function_id: 'a::b',
      description: null,
      request_format: null,
      response_format: null,
      metadata: null,
    })
    const requestSchema = { type: 'object', $ref: '#/x' }
    const metadata = { mcp: { expose: true, tier: 'ops' }, 'mcp.title': 'B' }
    expect(toFunctionRow({ ...nothing, id: 'a::b', description: 'Does b', requestSchema, metadata })).toEqual({
      function_id: 'a::b',
      description: 'Does b',
      request_format: requestSchema,
      response_format: null,
      metadata: { 'mcp.expose': true, 'mcp.tier': 'ops', 'mcp.title': 'B' },
    })
  })

  it('has schemas without what says nothing: the dialect, the bounds of all whole numbers, that nothing else comes back', () => {
    const whole = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { total: whole, count: { ...whole, minimum: 1 } },
      additionalProperties: false,
    }
    const told = { type: 'object', properties: { total: { type: 'integer' }, count: { type: 'integer', minimum: 1 } } }
    const row = toFunctionRow({ ...nothing, id: 'a::b', requestSchema: schema, responseSchema: schema })
    expect(row['request_format']).toEqual({ ...told, additionalProperties: false })
    expect(row['response_format']).toEqual(told)
  })

  it('keeps the rest of its metadata to itself: what workers say to each other, and ids of other functions', () => {
    const metadata = { instance: 'nonce', api_key: 's3cret', mcp: { complete: 'a::hidden', cancel: 'a::hidden' } }
    expect(toFunctionRow({ ...nothing, id: 'a::b', metadata })).toMatchObject({ metadata: null })
  })
})

describe('workers', () => {
  const row = { id: 'w1', name: 'orders', runtime: 'node', version: '1', status: 'connected', connected_at_ms: 5 }

  it('are told with what they offer to clients, and without their machines', () => {
    const rows = [
      {
        ...row,
        pid: 17,
        os: 'linux 6',
        ip_address: '10.0.0.7',
        isolation: 'vm',
        function_count: 9,
        active_invocations: 2,
      },
      { ...row, id: 'w2', name: 'quiet' },
      { ...row, id: 'w3', name: 'iii-state', runtime: 'engine' },
      { id: 'w4' },
      null,
    ]
    expect(toWorkerRows(rows, [{ id: 'orders::a', worker: 'orders' }, { id: 'b' }], createSight())).toEqual([
      { ...row, description: null, function_count: 1, functions: ['orders::a'], active_invocations: 2 },
    ])
  })

  it('are sorted by name, also those that have the same', () => {
    const rows = ['c', 'a', 'b'].map((id) => ({ ...row, id, name: id === 'c' ? 'a' : 'b' }))
    const shown = [
      { id: 'x', worker: 'a' },
      { id: 'y', worker: 'b' },
    ]
    expect(toWorkerRows(rows, shown, createSight()).map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  })
})

describe('triggers', () => {
  const toRow = (trigger_type: string, config: unknown, function_id = 'a::b') => ({
    id: `${trigger_type}-1`,
    trigger_type,
    function_id,
    worker_name: 'a',
    config,
    config_summary: JSON.stringify(config),
  })
  const told = (row: unknown) =>
    toTriggerRows([row], ({ functionId }) => (functionId === 'a::b' ? functionId : undefined))

  it.each<[string, object, object]>([
    [
      'http',
      { api_path: '/x', http_method: 'POST', condition_function_id: 'secret::c', middleware_function_ids: ['m::w'] },
      { api_path: '/x', http_method: 'POST' },
    ],
    ['cron', { expression: '* * * * * *', condition_function_id: 'secret::c' }, { expression: '* * * * * *' }],
    ['durable:subscriber', { topic: 't', queue_config: { url: 'redis://user:password@host' } }, { topic: 't' }],
    ['configuration', { configuration_id: 'c', event_types: ['set'] }, { configuration_id: 'c', event_types: ['set'] }],
    ['state', { scope: { deep: 1 }, key: 'k' }, { key: 'k' }],
    ['webhooks', { secret: 's3cret' }, {}],
    ['constructor', { name: 'x' }, {}],
  ])('of the type %s are told without what is not known to be public', (type, config, shown) => {
    expect(told(toRow(type, config))).toEqual([
      { id: `${type}-1`, trigger_type: type, function_id: 'a::b', config: shown },
    ])
  })

  it('of functions that are not shown are not told, and neither is anything that is no trigger', () => {
    for (const row of [toRow('http', {}, 'secret::c'), null, {}, { id: 7 }, 'x']) expect(told(row)).toEqual([])
    expect(told(toRow('http', null))).toMatchObject([{ config: {} }])
  })
})
