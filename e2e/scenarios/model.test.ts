import { afterAll, beforeAll, expect } from 'vitest'
import { ask } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

interface Called {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
}

async function call(name: string, input: Record<string, unknown>): Promise<Called> {
  return (await ask(stack.mcpUrl, 'tools/call', { name, arguments: input })) as Called
}

scenario(['model/unknown-arguments'], 'an argument that nobody knows is refused, with what is known', async () => {
  const { isError, content } = await call('orders__report', { fortnight: '2026-11', statu: 'open' })
  expect(isError).toBe(true)
  expect(content[0]?.text).toMatch(
    /^Error: fortnight: is unknown; statu: is unknown \(did you mean status\?\); it takes .*status/,
  )
  const missing = await call('orders__get', { id: 'ORD-7K2M9QX4TD' })
  expect(missing.content[0]?.text).toBe(
    'Error: order_id: must be a string, but it is missing; id: is unknown (did you mean order_id?); it takes order_id',
  )
})

scenario(['model/unknown-arguments'], 'a tool says in its schema that it takes nothing else', async () => {
  const { tools } = (await ask(stack.mcpUrl, 'tools/list', {})) as {
    tools: { name: string; inputSchema: { additionalProperties?: unknown } }[]
  }
  const closed = tools.filter(({ inputSchema }) => inputSchema.additionalProperties === false).map(({ name }) => name)
  expect(closed).toContain('orders__report')
  // As lenient as it always was.
  expect(closed).not.toContain('skill__fetch')
})
