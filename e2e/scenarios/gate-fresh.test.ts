import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, requestOnce } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, toCell, WIRES, type WireClient } from '../wire-clients.ts'

/** How old what the gate knows may be, and what it does when the engine tells it nothing. */
const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
})
afterAll(() => cleanup.run())

const FRESH_MS = 1_000

async function see(client: WireClient, name: string): Promise<string> {
  return toCell(await client.ask('tools/call', { name, arguments: {} }))
}

scenario(['gate/one-second'], 'a call that begins a second after a function was hidden does not reach it', async () => {
  await using wires = await connectWires(stack)
  const offer = (expose: boolean) =>
    stack.worker.registerFunction('fresh::hello', () => 'hi', { metadata: { mcp: { expose } } })
  const shown = offer(true)
  await stack.worker.ready()
  const all = WIRES.map((wire) => wires.clients[wire])
  for (const client of all) expect(await see(client, 'fresh__hello')).toBe('allowed')
  shown.unregister()
  offer(false)
  await stack.worker.ready()
  const hiddenAt = performance.now()
  const lastLetThrough = await Promise.all(
    all.map(async (client) => {
      let last = hiddenAt
      const isRefused = async () => {
        const begunAt = performance.now()
        const cell = await see(client, 'fresh__hello')
        if (cell === 'allowed') last = begunAt
        return cell.includes('is not exposed via mcp.expose metadata')
      }
      await until(isRefused, { what: 'the function to be refused', deadlineMs: 10_000 })
      return last - hiddenAt
    }),
  )
  for (const ms of lastLetThrough) expect(ms).toBeLessThan(FRESH_MS)
})

const UNVERIFIED =
  "Function 'vouched::hello' exposure could not be verified (the engine did not answer); the call was not made"

scenario(
  ['gate/fails-closed'],
  'an engine that says nothing of a function, or fails to, lets no call through',
  async () => {
    await using engine = await startMockEngine()
    await using bridge = startChild(bridgeProgram(engine.url, ['--http-builtins']))
    const mcpUrl = `${engine.httpUrl}/mcp`
    await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, { what: `${bridge.name} to be ready` })
    const worker = connectToEngine(engine.url, 'vouched')
    await using _ = { [Symbol.asyncDispose]: () => worker.shutdown() }
    let ran = 0
    worker.registerFunction('vouched::hello', () => ++ran)
    await worker.ready()
    await using wires = await connectWires({ engineUrl: engine.url, mcpUrl })
    const all = WIRES.map((wire) => wires.clients[wire])
    const about = { function: 'engine::functions::info' }
    for (const fault of [
      { ...about, fault: 'fail-call', code: 'internal', message: 'The engine is unwell' },
      { ...about, fault: 'delay-call', ms: 60_000 },
    ] as const) {
      for (const client of all) expect(await see(client, 'vouched__hello')).toBe('allowed')
      using _fault = engine.inject(fault)
      const isShut = async (client: WireClient) => (await see(client, 'vouched__hello')) === `Error: ${UNVERIFIED}`
      await Promise.all(all.map((client) => until(() => isShut(client), { what: 'the gate to be shut' })))
      const before = ran
      const cells = await Promise.all(
        all.flatMap((client) => [
          see(client, 'vouched__hello'),
          client.ask('resources/read', { uri: 'iii://fn/vouched/hello' }).then(toCell),
          client.ask('tools/call', { name: 'iii_trigger_void', arguments: VOID }).then(toCell),
        ]),
      )
      expect([...new Set(cells)].sort()).toEqual([`-32603 ${UNVERIFIED}`, `Error: ${UNVERIFIED}`])
      expect(ran).toBe(before)
    }
  },
)

const VOID = { function_id: 'vouched::hello', payload: {} }
