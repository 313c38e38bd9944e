import { afterAll, beforeAll, expect, inject } from 'vitest'
import { scenario } from '../scenario.ts'
import { readCode, runSnippet } from '../snippet.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ workers: ['bridge'] })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

scenario(['canned-prompts/python'], 'register-function in Python offers a tool', async () => {
  await using client = await stack.connect('sdk 1.x')
  const input = { language: 'python', function_id: 'printed::greet' }
  const { messages } = await client.getPrompt('register-function', input)
  const text = messages.map(({ content }) => (content as { text: string }).text).join('')
  expect(text).toContain('`pip install iii-sdk`')
  const interpreter = inject('python')
  const code = readCode(text, 'python')
  await using snippet = await runSnippet({ file: 'worker.py', code, engineUrl: stack.engineUrl, interpreter })
  const isListed = async () => {
    if (!snippet.child.running) throw new Error(snippet.child.stderr.join('\n'))
    return (await client.listTools()).find(({ name }) => name === 'printed__greet')
  }
  const tool = await until(isListed, { what: 'the tool', deadlineMs: 45_000 })
  expect(tool).toMatchObject({ inputSchema: { properties: { name: { type: 'string' } } } })
  const result = await client.callTool('printed__greet', { name: 'Ada' })
  expect(result.structuredContent).toEqual({ greeting: 'Hello, Ada' })
})
