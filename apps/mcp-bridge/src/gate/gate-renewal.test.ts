import { startMockEngine } from '@iii/mock-engine'
import { readMcpSidecar } from '@iii/protocol'
import { registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge } from '../testing/bridge.ts'
import { startInvoker, toCall } from '../testing/invoker.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { startStdioBridge } from '../testing/stdio-bridge.ts'
import { begin, form, get, over, postWithTasks } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

/** A function that wants to know something first, until it is hidden. */
function offerAsking(worker: Worker): { calls: unknown[]; hide(): Promise<void> } {
  const calls: unknown[] = []
  const handler = (_: unknown, metadata?: unknown) => {
    calls.push(metadata)
    const isAnswered = readMcpSidecar(metadata)?.input_responses !== undefined
    return isAnswered ? 'called again' : { result_type: 'input_required', input_requests: { sure: form } }
  }
  const mcp = { task: 'optional' }
  const shown = worker.registerFunction('orders::ask', handler, { metadata: { mcp } })
  return {
    calls,
    async hide() {
      shown.unregister()
      worker.registerFunction('orders::ask', handler, { metadata: { mcp, internal: true } })
      await worker.ready()
    },
  }
}

const HIDDEN = "Error: Function 'orders::ask' is in the iii-engine internal namespace and is not exposed as an MCP tool"

const WAYS: readonly [method: string, params: object, refusal: object][] = [
  ['tools/call', { name: 'orders__ask', arguments: {} }, { result: { isError: true, content: [{ text: HIDDEN }] } }],
  [
    'resources/read',
    { uri: 'iii://fn/orders/ask' },
    {
      error: {
        code: -32602,
        message: "Function 'orders::ask' is in an internal namespace and cannot back a skill resource",
      },
    },
  ],
  [
    'prompts/get',
    { name: 'ask' },
    {
      error: {
        code: -32602,
        message: "Prompt handler 'orders::ask' is in an internal namespace and cannot back a prompt",
      },
    },
  ],
]

/** What the gate knew before is no longer fresh. */
async function untilStale(since: number): Promise<void> {
  await untilAnswer(
    () => performance.now() - since,
    (ms) => ms > 1_000,
  )
}

it.each(WAYS)('%s: a function that is hidden while its client thinks is not called again', async (...way) => {
  const [method, params, refusal] = way
  await using engine = await startMockEngine()
  await using skills = await startSkillsWorker(engine.url)
  skills.prompts.set('ask', 'orders::ask')
  await using other = registerWorker(engine.url, { name: 'other' })
  const asking = offerAsking(other)
  await other.ready()
  await using bridge = startStdioBridge(engine.url)
  await bridge.open({ capabilities: { elicitation: {} } })
  bridge.send({ id: 7, method, params })
  const { id } = await bridge.find(({ method }) => method === 'elicitation/create')
  const askedAt = performance.now()
  await asking.hide()
  await untilStale(askedAt)
  bridge.send({ id, result: { action: 'accept', content: {} } })
  const reply = await bridge.find((message) => message.id === 7 && message.method === undefined)
  expect(reply).toMatchObject(refusal)
  expect(asking.calls).toHaveLength(1)
})

it('a task that waits for an answer does not go on with a function that is hidden by then, and can be asked for', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  const asking = offerAsking(bridge.other)
  await bridge.other.ready()
  const taskId = await begin(bridge, 'orders__ask')
  const waits = () => get(bridge, taskId)
  await untilAnswer(waits, ({ status }) => status === 'input_required')
  const askedAt = performance.now()
  await asking.hide()
  expect(await waits()).toMatchObject({ status: 'input_required' })
  await untilStale(askedAt)
  const inputResponses = { sure: { action: 'accept', content: {} } }
  expect((await postWithTasks(bridge, 'tasks/update', { taskId, inputResponses })).message.error).toBeUndefined()
  expect(await over(bridge, taskId)).toMatchObject({ result: { isError: true, content: [{ text: HIDDEN }] } })
  expect(asking.calls).toHaveLength(1)
})

it('a task that was begun while nobody was asked who they are does not go on as everybody once that is asked', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  const asking = offerAsking(bridge.other)
  await bridge.other.ready()
  const taskId = await begin(bridge, 'orders__ask')
  await untilAnswer(
    () => get(bridge, taskId),
    ({ status }) => status === 'input_required',
  )
  bridge.set({ auth: AuthBlock.parse({ grants: { public: { tiers: ['public'] } }, anonymous: { grant: 'public' } }) })
  const inputResponses = { sure: { action: 'accept', content: {} } }
  expect((await postWithTasks(bridge, 'tasks/update', { taskId, inputResponses })).message.error).toBeUndefined()
  expect(await over(bridge, taskId)).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/went away while .* not called again/) }] },
  })
  expect(asking.calls).toHaveLength(1)
})

it.each([
  ['secret::told', {}],
  ['STATE::told', {}],
  ['orders::inner', { internal: true }],
])('%s is not told that a call is over', async (id, metadata) => {
  await using engine = await startMockEngine()
  await using test = await startInvoker(engine)
  const events: string[] = []
  test.other.registerFunction(id, () => void events.push(id), { metadata })
  test.other.registerFunction('orders::told', () => void events.push('told'))
  const wait = () => new Promise(() => void events.push('called'))
  test.other.registerFunction('orders::wait', wait)
  await test.other.ready()
  for (const cancel of [id, 'orders::told']) {
    const given = new AbortController()
    const before = events.length
    const call = test.invoker.once(test.to('orders::wait', { cancel }), toCall({ signal: given.signal }), {})
    await untilAnswer(
      () => events.length,
      (count) => count > before,
    )
    given.abort()
    await expect(call).rejects.toThrow('given up')
  }
  await untilAnswer(
    () => events,
    (all) => all.includes('told'),
  )
  expect(events).toEqual(['called', 'called', 'told'])
})
