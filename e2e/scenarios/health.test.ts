import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const ASKS = `auth: { tokens: [{ name: desk, hash: ['sha256:${'0'.repeat(64)}'], grant: all }], grants: { all: {} } }\n`

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

/** Like a balancer, which names the machine by an address. */
function probe(url: string, method = 'GET') {
  return sendHttp(`${url}/health`, { method, headers: { host: '10.0.0.7:3111' } })
}

scenario(['health/told'], 'a probe hears how a bridge is, whatever its Host and without a token', async () => {
  const isReady = async () => JSON.parse((await probe(stack.mcpUrl)).body).status === 'ready'
  await until(isReady, { what: 'the bridge to be ready' })
  expect(await probe(stack.mcpUrl, 'HEAD')).toMatchObject({ status: 200, body: '' })
  expect(await stack.worker.trigger({ function_id: 'mcp::health' })).toEqual({ status: 'ready', reasons: [] })
})

scenario(
  ['health/told'],
  'a bridge that asks for tokens answers probes, and a locked one says away and no more',
  async () => {
    const folder = cleanup.use(await createTempFolder())
    const file = join(folder.path, 'mcp.yaml')
    await writeFile(file, ASKS)
    await using _ = startChild(bridgeProgram(stack.engineUrl, ['--api-path', '/asks', '--config', file]))
    const url = new URL('/asks', stack.mcpUrl).href
    await until(async () => (await probe(url)).status === 200, { what: 'the other bridge to answer probes' })
    expect(
      (await sendHttp(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
    ).toBe(401)
    await using _locked = startChild(
      bridgeProgram(stack.engineUrl, ['--api-path', '/locked', '--config', join(folder.path, 'gone.yaml')]),
    )
    const locked = new URL('/locked', stack.mcpUrl).href
    const answer = await until(
      async () => {
        const reply = await probe(locked)
        return reply.status === 503 && reply
      },
      { what: 'the locked bridge to say so' },
    )
    expect(JSON.parse(answer.body)).toMatchObject({ status: 'away' })
    expect(answer.body).not.toContain('gone.yaml')
  },
)
