import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findOwner } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasNamespaces, listWorkers, requestOnce } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { createTwins } from '../twins.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

const answers = async () => (await requestOnce(stack.mcpUrl, 'ping', {}, 1_000).catch(() => undefined)) !== undefined

async function owner() {
  const found = await findOwner(
    (function_id, payload) => stack.worker.trigger({ function_id, payload }),
    'mcp::handler',
  )
  return found?.owner
}

/** What the engine calls the bridges that it takes for alive. */
const names = async () =>
  (await listWorkers(stack.worker)).flatMap(({ name }) => (name?.startsWith('mcp') ? [name] : []))

scenario(
  ['failover/remembered'],
  'a bridge that starts after one that does not answer any more has its name and functions at once',
  async () => {
    await using folder = await createTempFolder()
    const file = join(folder.path, 'mcp.reattach')
    const start = (): Child => startChild(bridgeProgram(stack.engineUrl, ['--reattach-file', file]))
    const frozen = start()
    await until(answers, { what: 'the first bridge to answer' })
    const { reattach_token: token } = JSON.parse(await readFile(file, 'utf8')) as { reattach_token: string }
    frozen.signal('SIGSTOP')
    try {
      await using next = start()
      await until(async () => (await owner())?.pid === next.pid, { what: 'the second bridge to have the functions' })
      await until(answers, { what: 'the second bridge to answer' })
      expect(await names()).toEqual(['mcp'])
      const said = next.stderr.join('\n')
      expect(said).not.toContain('stands by')
      expect(said).not.toContain(token)
    } finally {
      frozen.signal('SIGKILL')
      await frozen.exited
    }
  },
)

scenario(
  ['failover/name'],
  'a bridge that had to go by a name of its own has the usual one when it serves alone',
  async () => {
    await stack.startBridge()
    await using twins = createTwins(stack, 'mcp')
    const { standing } = await twins.add()
    const keeps = await hasNamespaces(stack.worker)
    expect((await names()).sort()).toEqual(['mcp', keeps ? expect.stringMatching(/^mcp-[0-9a-f]{8}$/) : 'mcp'])
    await twins.kill()
    expect((await twins.takesOver()).child).toBe(standing.child)
    await until(async () => `${await names()}` === 'mcp', { what: 'it to be called mcp' })
    await until(answers, { what: 'it to answer' })
    await stack.stop('mcp')
  },
)
