import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { bridgeProgram, skillsProgram, WORKER_READY } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const TAKES_NOTHING = /this process takes nothing from it, and serves when nobody else does/
const BROKEN = 'hidden_prefixes: 7\nscopes: 7\n'

const cleanup = createCleanup()
let stack: Stack
let config: string

beforeAll(async () => {
  config = join(cleanup.use(await createTempFolder()).path, 'config.yaml')
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

/** What a client of the bridge reads first: the status, and the reason where nothing is served. */
async function ping(): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(stack.mcpUrl, { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error?: { message?: string } }
  return [response.status, error?.message].filter(Boolean).join(' ')
}

/** What a caller of the registry hears. */
async function list(): Promise<string> {
  const answer = stack.worker.trigger({ function_id: 'skills::list', payload: {} })
  return answer.then(
    () => '200',
    ({ message }: Error) => message,
  )
}

const CASES = [
  {
    name: 'mcp',
    what: 'bridge',
    program: bridgeProgram,
    answer: ping,
    refusal: /^503 .*locked by its configuration: /,
  },
  { name: 'skills', what: 'registry', program: skillsProgram, answer: list, refusal: /is malformed: line \d/ },
] as const

for (const { name, what, program, answer, refusal } of CASES) {
  const reaches = (pattern: RegExp, why: string) => until(async () => pattern.test(await answer()), { what: why })

  scenario(
    ['twin/locked'],
    `a ${what} that its configuration locks takes nothing from a healthy one, follows it, and gives way again`,
    async () => {
      await writeFile(config, BROKEN)
      const healthy = stack.children.get(name) as Child
      await using locked = startChild(program(stack.engineUrl, ['--config', config]))
      await locked.line(TAKES_NOTHING)
      await locked.line(WORKER_READY)
      expect(await answer()).toBe('200')
      await healthy.stop()
      await reaches(refusal, 'the locked one to serve')
      await using next = startChild(program(stack.engineUrl))
      await reaches(/^200$/, 'the next one to serve')
      await next.stop()
      await reaches(refusal, 'the locked one to serve again')
      await writeFile(config, '{}\n')
      await reaches(/^200$/, 'the mended one to serve')
    },
  )
}
