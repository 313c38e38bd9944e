import { expect, it } from 'vitest'
import { toConfig } from '../testing/server-config.ts'
import { toOperations } from './operation-functions.ts'

it('what is asked of a server beside its tools may take as long as its limits say, for each list that it takes', () => {
  const timeouts = { ...toConfig().timeouts, callMs: 1_000, listMs: 120_000 }
  const concurrency = { ...toConfig().concurrency, waitMs: 0 }
  const operations = toOperations(toConfig({ operations: true, timeouts, concurrency }), { has: () => true })
  expect(operations.map(({ id, timeoutMs }) => [id, timeoutMs])).toEqual([
    ['demo::mcp::resources-list', 246_000],
    ['demo::mcp::resources-read', 7_000],
    ['demo::mcp::prompts-list', 126_000],
    ['demo::mcp::prompts-get', 7_000],
  ])
})
