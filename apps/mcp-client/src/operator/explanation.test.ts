import { expect, it } from 'vitest'
import { toConfig } from '../testing/server-config.ts'
import { explainFunction } from './explanation.ts'
import type { ServerView } from './server-view.ts'

const view = (operations: boolean, capabilities?: string[]): ServerView => ({
  ...{ name: 'demo', state: 'ready', notes: [] },
  entry: { name: 'demo', config: toConfig({ operations }), warnings: [] },
  status: { server: capabilities && { capabilities } } as unknown as ServerView['status'],
})

it.each([
  ['prompts-get', true, ['tools', 'prompts'], 'registered'],
  ['prompts-get', true, ['tools'], 'left_out'],
  ['prompts-get', true, undefined, 'unknown'],
  ['prompts-get', false, ['prompts'], 'denied'],
  ['nonsense', true, ['prompts'], 'not_listed'],
  ['toString', true, undefined, 'not_listed'],
  ['nonsense', false, ['prompts'], 'not_listed'],
] as const)('demo::mcp::%s with operations: %s of a server that can %j is %s', (operation, operations, can, state) => {
  expect(explainFunction(`demo::mcp::${operation}`, view(operations, can && [...can]))).toMatchObject({ state })
})
