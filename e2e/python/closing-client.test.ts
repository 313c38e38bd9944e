import { afterAll, beforeAll, expect, inject } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack
let running = 0

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  worker.registerFunction('jobs::running', () => String(running))
  worker.registerFunction('jobs::long', () => {
    running += 1
    return new Promise((resolve) => setTimeout(resolve, 60_000).unref())
  })
  await worker.ready()
})
afterAll(() => cleanup.run())

const TRANSPORTS: readonly (readonly [string, () => readonly string[]])[] = [
  ['HTTP', () => [stack.mcpUrl]],
  [
    'stdio',
    () => {
      const { command, args } = stdioBridge(stack.engineUrl)
      return [command, ...args]
    },
  ],
]
for (const [name, server] of TRANSPORTS) {
  scenario(
    ['clients/goodbye'],
    `the Python SDK closes over ${name} while a call runs, and hears nothing more`,
    async () => {
      running = 0
      const entry = new URL('./closing_client.py', import.meta.url)
      await using client = startChild({ name: 'host', interpreter: inject('python'), entry, args: server() })
      const exit = await client.exited
      expect([exit, client.stderr.join('\n')]).toEqual([
        { code: 0, signal: null },
        expect.not.stringContaining('Error'),
      ])
      expect(Number(/^closed (.+)$/m.exec(client.stdout.join('\n'))?.[1])).toBeLessThan(2)
    },
  )
}
