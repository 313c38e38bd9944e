import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const WITHIN = { deadlineMs: 8_000 }
const REFUSES = /nobody is answered over HTTP, and what others serve is left to them/

const cleanup = createCleanup()
let stack: Stack
let asking: string[]

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
  await stack.worker.ready()
  const folder = cleanup.use(await createTempFolder())
  const file = join(folder.path, 'mcp.yaml')
  await writeFile(file, 'auth: { mode: required }\n')
  asking = ['--config', file]
})
afterAll(() => cleanup.run())

const open = () => startChild(bridgeProgram(stack.engineUrl))
const guard = () => startChild(bridgeProgram(stack.engineUrl, asking))

async function ping(): Promise<number | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json' }
  return fetch(stack.mcpUrl, { method: 'POST', headers, body }).then(
    ({ status }) => status,
    () => undefined,
  )
}

/** All answers until something has come. */
async function pingUntil(fact: Promise<unknown>): Promise<Set<number | undefined>> {
  const seen = new Set<number | undefined>()
  let isOver = false
  const over = fact.finally(() => {
    isOver = true
  })
  while (!isOver) seen.add(await ping())
  await over
  return seen
}

const answers = (status: number) => until(async () => (await ping()) === status, { what: `HTTP ${status}`, ...WITHIN })

scenario(
  ['failover/asking'],
  'a bridge whose settings say nothing of who may ask answers nobody in the place of one that asks for tokens',
  async () => {
    await using first = guard()
    await answers(401)
    await using second = open()
    const refuses = second.line(REFUSES, WITHIN.deadlineMs)
    expect(await pingUntil(refuses)).not.toContain(200)
    await answers(401)
    first.signal('SIGKILL')
    await answers(503)
    await using third = guard()
    await answers(401)
    expect([second.running, third.running]).toEqual([true, true])
  },
)

scenario(
  ['failover/asking'],
  'a bridge whose settings say nothing of who may ask gives its path to one that asks for tokens',
  async () => {
    await using first = open()
    await answers(200)
    await using second = guard()
    await Promise.all([first.line(REFUSES, WITHIN.deadlineMs), answers(401)])
    // Whether it ever saw the other one open is up to who looked first.
    expect([first.running, second.running]).toEqual([true, true])
  },
)
