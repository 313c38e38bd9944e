import { describe, expect, it } from 'vitest'
import { findOwners } from './owners.ts'

const http = { trigger_type: 'http', function_id: 'other::http', worker_name: 'other' }

describe('the owners of what start brings', () => {
  it('are nobody on an engine where other things run', () => {
    const functions = ['mcp::handler::tools', 'skillset::list', 'skill::fetchall', 'state::get', 'order::create']
    expect(
      findOwners(
        functions.map((function_id) => ({ function_id, worker_name: 'w' })),
        [
          { ...http, config: { api_path: '/mcp/tools', http_method: 'POST' } },
          { ...http, config: { api_path: '/mcp', http_method: 'PUT' } },
          { ...http, trigger_type: 'cron', config: { api_path: '/mcp', http_method: 'POST' } },
          { ...http, config: null },
          { ...http },
        ],
      ),
    ).toEqual([])
  })

  it.each([
    [{ api_path: '/mcp', http_method: 'POST' }, 'POST'],
    [{ api_path: 'mcp', http_method: 'post' }, 'POST'],
    [{ api_path: 'mcp' }, 'GET'],
    [{ api_path: '/mcp', http_method: 'DELETE' }, 'DELETE'],
  ])('are told for the route %j', (config, method) => {
    expect(findOwners([], [{ ...http, config }])).toEqual([
      `the route ${method} /mcp belongs to worker other (function other::http)`,
    ])
  })

  it('are told by worker for ids', () => {
    const functions = [
      { function_id: 'mcp::handler', worker_name: 'mcp' },
      { function_id: 'orders::create', worker_name: 'shop' },
      { function_id: 'orders::get', worker_name: 'shop' },
      { function_id: 'skill::fetch' },
    ]
    expect(findOwners(functions, [])).toEqual([
      'mcp::handler belongs to worker mcp',
      'orders::create, orders::get belong to worker shop',
      'skill::fetch belongs to worker unknown',
    ])
  })

  it('are in the namespace of what start brings', () => {
    const functions = ['default', 'team'].map((namespace) => ({
      function_id: 'skills::list',
      worker_name: namespace,
      namespace,
    }))
    expect(findOwners(functions, [])).toEqual(['skills::list belongs to worker default'])
  })

  it('are told in a line that can be read, however many ids one has', () => {
    const ids = ['prompts::list', 'skill::fetch', ...['a', 'b', 'c', 'd'].map((name) => `skills::${name}`)]
    const functions = ids.map((function_id) => ({ function_id, worker_name: 'skills' }))
    expect(findOwners(functions, [])).toEqual(['skills::*, skill::fetch, prompts::list belong to worker skills'])
  })
})
