import { afterAll, beforeAll, expect } from 'vitest'
import { requestOnce } from '../facts.ts'
import { postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

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
  return (await requestOnce(stack.mcpUrl, 'tools/call', { name, arguments: input })) as Called
}

/** What a client reads of a request that is refused. */
async function refusal(method: string, params: object): Promise<string | undefined> {
  using reply = postRequest(stack.mcpUrl, {}, method, params)
  const [message] = await reply.over
  return message?.error?.message
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
  const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list', {})) as {
    tools: { name: string; inputSchema: { additionalProperties?: unknown } }[]
  }
  const closed = tools.filter(({ inputSchema }) => inputSchema.additionalProperties === false).map(({ name }) => name)
  expect(closed).toContain('orders__report')
  // As lenient as it always was.
  expect(closed).not.toContain('skill__fetch')
})

scenario(['model/reading'], 'no way to read an address cancels an order', async () => {
  const uri = 'iii://fn/orders/cancel'
  const text = `Function 'orders::cancel' changes something (it says destructiveHint: true), so reading an address does not call it. Call it as a tool: orders__cancel`
  expect(await refusal('resources/read', { uri })).toBe(text)
  for (const input of [{ uri }, { uris: ['iii://orders', uri] }]) {
    expect(await call('skill__fetch', input)).toMatchObject({ isError: true, content: [{ text: `Error: ${text}` }] })
  }
  // One that only reads is called, as ever.
  expect(await requestOnce(stack.mcpUrl, 'resources/read', { uri: 'iii://fn/orders/status' })).toMatchObject({
    contents: [{ uri: 'iii://fn/orders/status' }],
  })
})

scenario(['model/texts'], 'a refusal has nothing in it that only the operator could use', async () => {
  const hidden = stack.worker.registerFunction('model::hidden', () => 1, { metadata: { 'mcp.expose': false } })
  await stack.worker.ready()
  const { content } = await call('model__hidden', {})
  hidden.unregister()
  expect(content[0]?.text).toBe("Error: Function 'model::hidden' is not exposed via mcp.expose metadata")
  const builtin = await call('iii_trigger_void', {})
  expect(builtin.content[0]?.text).toBe("Error: Tool 'iii_trigger_void' is disabled on this server")
})

const LETTERS = "lowercase ASCII letters, digits, '-' and '_'"

scenario(['model/not-there'], 'a name that is nearly right leads to the right one', async () => {
  const hidden = stack.worker.registerFunction('orders::gett', () => 1, { metadata: { 'mcp.expose': false } })
  await stack.worker.ready()
  const told = await Promise.all([
    refusal('tools/call', { name: 'orders_get' }),
    refusal('tools/call', { name: 'orders::get' }),
    refusal('tools/call', { name: 'getOrder' }),
    refusal('tools/call', { name: 'weather' }),
    refusal('prompts/get', { name: 'refund_order' }),
    refusal('resources/read', { uri: 'iii://order' }),
    refusal('resources/read', { uri: 'iii://fn/orders/state' }),
    refusal('resources/read', { uri: 'iii://workers/order' }),
    // What nothing can be called.
    refusal('prompts/get', { name: 'Refund Order' }),
    refusal('resources/read', { uri: 'iii://Orders/Refunds' }),
    call('skill__fetch', { uri: 'orders/refunds' }).then(({ content }) => content[0]?.text),
    // What means the same counts more than what has the same letters.
    refusal('tools/call', { name: 'orders__refund' }),
    refusal('prompts/get', { name: 'refund-order', arguments: { order: 'ORD-7K2M9QX4TD' } }),
  ])
  hidden.unregister()
  expect(told).toEqual([
    'Unknown tool: orders_get. Did you mean orders__get? tools/list has all of them',
    'Unknown tool: orders::get. Did you mean orders__get? tools/list has all of them',
    'Unknown tool: getOrder. Did you mean orders__get? tools/list has all of them',
    'Unknown tool: weather. tools/list has all of them',
    'Prompt not found: refund_order. Did you mean refund-order? prompts/list has all of them',
    'Skill not found: order. Did you mean iii://orders or iii://orders/refunds? iii://skills has all of them',
    "Function 'orders::state' is not registered on the engine. Did you mean iii://fn/orders/status or iii://fn/orders/chart? iii://skills says which to read",
    'Resource not found: iii://workers/order. Did you mean iii://workers/orders? iii://workers has all of them',
    `Invalid params: name may only contain ${LETTERS}: "Refund Order". Did you mean refund-order? prompts/list has all of them`,
    `invalid id (segment 1 of "Orders/Refunds"): segment may only contain ${LETTERS}: "Orders". Did you mean iii://orders/refunds or iii://orders? iii://skills has all of them`,
    'Error: Invalid URI (must start with iii:// or skill://): orders/refunds. Did you mean iii://orders/refunds or iii://orders? iii://skills has all of them',
    'Unknown tool: orders__refund. Did you mean orders__cancel? tools/list has all of them',
    'order: is unknown (did you mean order_id?); it takes order_id, reason',
  ])
})

scenario(
  ['model/fetch-limit'],
  'of many skills as many are fetched whole as fit, and the others are named',
  async () => {
    const ids = ['limit-a', 'limit-b', 'limit-c']
    const register = (id: string, skill: string) =>
      stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill } })
    for (const id of ids) await register(id, `# ${id}\n\n${'x'.repeat(45_000)}\n\nThe end of ${id}.`)
    await register('limit-large', 'y'.repeat(200_000))
    const uris = ids.map((id) => `iii://${id}`)
    const { content } = await call('skill__fetch', { uris, uri: 'iii://orders' })
    expect(content).toHaveLength(1)
    const text = content[0]?.text ?? ''
    expect(text.match(/The end of .*/g)).toEqual(['The end of limit-a.', 'The end of limit-b.'])
    expect(text).toMatch(/Left out, .*another call\): iii:\/\/limit-c\n\nuri was not read \(iii:\/\/orders\)/)
    const rest = await call('skill__fetch', { uri: 'iii://limit-c' })
    expect(rest.content[0]?.text).toMatch(/The end of limit-c\.$/)
    const cut = await call('skill__fetch', { uri: 'iii://limit-large' })
    expect(cut.content).toHaveLength(1)
    expect(cut.content[0]?.text).toMatch(
      /y\n\nCut here: \d+ of \d+ bytes fit into the answer; resources\/read has the whole\.$/,
    )
  },
)

scenario(
  ['model/large-results'],
  'of a large list the first elements are there, behind what says how to get the rest',
  async () => {
    const rows = Array.from({ length: 5_000 }, (_, nth) => ({ id: nth, note: 'x'.repeat(40) }))
    const schema = { type: 'object', properties: { after: { type: 'integer' }, limit: { type: 'integer' } } }
    const list = stack.worker.registerFunction('model::rows', () => ({ rows }), { request_format: schema })
    await stack.worker.ready()
    const { content } = await call('model__rows', { after: 0 })
    list.unregister()
    expect(content[0]?.text).toMatch(
      /^\[This result is cut, .* Ask for less, or for the rest, with what it takes: after, limit\.\]$/,
    )
    const shown = JSON.parse(content[1]?.text ?? '') as { rows: unknown[] }
    expect(shown.rows.length).toBeGreaterThan(500)
    expect(shown.rows).toEqual(rows.slice(0, shown.rows.length))
    expect(Buffer.byteLength(JSON.stringify(content.map(({ text }) => text).join('')))).toBeLessThan(150_000)
  },
)

scenario(['model/large-results'], 'what comes of a task is cut in the same way', async () => {
  const rows = Array.from({ length: 5_000 }, (_, nth) => ({ id: nth, note: 'x'.repeat(40) }))
  const request_format = { type: 'object', properties: { after: { type: 'integer' } } }
  const metadata = { 'mcp.task': 'optional' }
  const list = stack.worker.registerFunction('model::rows_later', () => ({ rows }), { request_format, metadata })
  await stack.worker.ready()
  const capable = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const post = async (method: string, params: Record<string, unknown>) => {
    using reply = postStateless(stack.mcpUrl, method, params, capable)
    return (await reply.over).at(-1)?.result ?? {}
  }
  const { taskId } = await post('tools/call', { name: 'model__rows_later', arguments: { after: 0 } })
  const look = async () => (await post('tasks/get', { taskId }))['result'] as Called | undefined
  const { content } = await until(look, { what: 'the task to be over' })
  list.unregister()
  expect(content[0]?.text).toMatch(/^\[This result is cut, .* with what it takes: after\.\]$/)
  const shown = JSON.parse(content[1]?.text ?? '') as { rows: unknown[] }
  expect(shown.rows).toEqual(rows.slice(0, shown.rows.length))
  expect(Buffer.byteLength(content[1]?.text ?? '')).toBeLessThan(100_000)
})

scenario(['model/fetch'], 'whoever gives uri beside uris reads that it was not read', async () => {
  const { content } = await call('skill__fetch', { uri: 'iii://orders', uris: ['iii://orders/refunds'] })
  expect(content[0]?.text).toMatch(
    /^# iii:\/\/orders\/refunds\n[\s\S]*\n\nuri was not read \(iii:\/\/orders\): uris counts where both are given$/,
  )
  const direct = await stack.worker.trigger({
    function_id: 'skill::fetch',
    payload: { uri: 'iii://orders', uris: ['iii://orders/refunds'] },
  })
  expect(direct).toBe(content[0]?.text)
  const same = await call('skill__fetch', { uri: 'iii://orders', uris: ['iii://orders'] })
  expect(same.content[0]?.text).not.toContain('was not read')
})

scenario(['model/order'], 'what workers bring stands before what the bridge has of its own', async () => {
  const { prompts } = (await requestOnce(stack.mcpUrl, 'prompts/list')) as { prompts: { name: string }[] }
  expect(prompts.map(({ name }) => name)).toEqual([
    'refund-order',
    'register-function',
    'build-api',
    'setup-cron',
    'event-pipeline',
  ])
  const { resources } = (await requestOnce(stack.mcpUrl, 'resources/list')) as { resources: { uri: string }[] }
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toContain('iii://orders')
  expect(uris.slice(-4)).toEqual(['iii://functions', 'iii://workers', 'iii://triggers', 'iii://context'])
})

scenario(['model/instructions'], 'the instructions are about what is there', async () => {
  const told = async () => {
    const answer = (await requestOnce(stack.mcpUrl, 'initialize', {})) as { instructions: string }
    return answer.instructions
  }
  expect(await told()).toMatch(/iii:\/\/skills.*Prompts are tasks that the user starts/)
  await until(async () => (await told()).includes('\n- iii://orders: '), {
    what: 'the instructions to have the skills',
  })
  using reply = postStateless(stack.mcpUrl, 'server/discover')
  expect((await reply.over)[0]?.result?.['instructions']).toBe(await told())
  const skill = '---\npriority: 1\n---\n# Instructed\n\nRead this first.\n'
  await stack.worker.trigger({ function_id: 'skills::register', payload: { id: 'instructed', skill } })
  const first = /:\n- iii:\/\/instructed: Read this first\.\n(?:- .*\n)*- iii:\/\/orders: /
  await until(async () => first.test(await told()), { what: 'the most important skill to be the first' })
  await stack.worker.trigger({ function_id: 'skills::unregister', payload: { id: 'instructed' } })
  await until(async () => !(await told()).includes('instructed'), { what: 'a skill that has gone to be gone' })
  await stack.stop('skills')
  await until(async () => !(await told()).includes('skill'), { what: 'the instructions to be without skills' })
  expect(await told()).toMatch(/Prompts are tasks that the user starts/)
  await stack.startSkills()
})
