import { expect } from 'vitest'
import { requestOnce } from '../facts.ts'
import { sendHttp } from '../http-request.ts'
import { scenario } from '../scenario.ts'
import { call, hear, offerRecorded, relay, type StrangerWorker } from '../stranger-calls.ts'
import { until } from '../until.ts'

/** The metadata of every binding of a stranger. */
const NOTE = { note: 'from the binding' }

/** What holds for every worker on an official SDK. @param open the worker, as it is when a scenario runs. */
export function strangerScenarios(open: () => StrangerWorker): void {
  callScenarios(open)
  outcomeScenarios(open)
  httpScenarios(open)
  eventScenarios(open)
  durableScenarios(open)
  channelScenarios(open)
  triggerTypeScenarios(open)
}

function callScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/calls'], 'it is called with values and metadata, and answers them unchanged', async () => {
    const { prefix, stack } = open()
    const data = { text: 'Grüße, 茶 🍵', list: [1, 2.5, -3, true, null, ''], nested: { deep: [{ er: {} }] } }
    const metadata = { from: 'the test', n: 1 }
    const echo = stack.worker.trigger({ function_id: `${prefix}::echo`, payload: data, metadata })
    expect(await echo).toMatchObject({ data, metadata })
    expect(await call(open(), 'add', { a: 2, b: 40 })).toEqual({ sum: 42 })
    expect((await call(open(), 'nothing')) ?? null).toBeNull()
  })

  scenario(['stranger/calls'], 'it calls a function with metadata, and one without waiting for it', async () => {
    const stranger = open()
    using heard = await offerRecorded(stranger.stack.worker, 'test::heard', () => ({ thanks: true }))
    const function_id = 'test::heard'
    const waited = await relay(stranger, { function_id, payload: { n: 1 }, metadata: { trace: 'a' } })
    expect(waited.result).toEqual({ thanks: true })
    const sent = await relay(stranger, { function_id, payload: { n: 2 }, action: { type: 'void' } })
    expect(sent.result ?? null).toBeNull()
    await until(() => heard.calls.length === 2, { what: 'both calls' })
    expect(heard.calls).toMatchObject([{ payload: { n: 1 }, metadata: { trace: 'a' } }, { payload: { n: 2 } }])
  })

  scenario(['stranger/calls'], 'forty calls at once get each its own answer', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index)
    const sums = await Promise.all(numbers.map((n) => call<{ sum: number }>(open(), 'add', { a: n, b: 1000 })))
    expect(sums.map(({ sum }) => sum)).toEqual(numbers.map((n) => n + 1000))
  })
}

function outcomeScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/errors'], 'its failure reaches the caller with code and message', async () => {
    const failure = { code: 'invocation_failed', message: 'The demo exploded' }
    await expect(call(open(), 'boom')).rejects.toMatchObject(failure)
    const { error } = await relay(open(), { function_id: `${open().prefix}::boom` })
    expect(error).toEqual({ code: failure.code, message: expect.stringContaining(failure.message) })
  })

  scenario(['stranger/errors'], 'it learns why a call of its own failed', async () => {
    const stranger = open()
    using _silent = await offerRecorded(stranger.stack.worker, 'test::silent', () => new Promise(() => {}))
    const codeOf = async (request: Parameters<typeof relay>[1]) => (await relay(stranger, request)).error?.code
    expect(await codeOf({ function_id: 'nobody::home' })).toBe('function_not_found')
    expect(await codeOf({ function_id: 'test::silent', timeout_ms: 300 })).toBe('TIMEOUT')
    expect(await codeOf({ function_id: 'state::get', payload: {} })).toBe('deserialization_error')
    const enqueue = { function_id: `${stranger.prefix}::add`, action: { type: 'enqueue', queue: 'jobs' } }
    expect(await codeOf(enqueue)).toBe('enqueue_error')
  })
}

function httpScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/http'], 'what its function returns is the reply, with status and headers', async () => {
    const { prefix, stack } = open()
    const reply = await sendHttp(`${stack.httpUrl}/${prefix}/hello/Ada?tea=green`, {})
    expect({ status: reply.status, by: reply.headers['x-served-by'] }).toEqual({ status: 201, by: prefix })
    expect(JSON.parse(reply.body)).toEqual({ hello: 'Ada', query: { tea: 'green' }, method: 'GET' })
  })

  scenario(['stranger/http'], 'it reads a request and writes a reply as streams', async () => {
    const { prefix, stack } = open()
    const body = 'one\ntwo\n'.repeat(10_000)
    const headers = { 'content-type': 'text/plain' }
    const reply = await sendHttp(`${stack.httpUrl}/${prefix}/shout`, { method: 'POST', headers, body })
    expect(reply.status).toBe(202)
    expect(reply.headers).toMatchObject({ 'content-type': 'text/plain', 'x-length': String(body.length) })
    expect(reply.body).toBe(body.toUpperCase())
  })

  scenario(['stranger/http'], 'its failure is a 500 without its stack', async () => {
    const { prefix, stack } = open()
    const reply = await sendHttp(`${stack.httpUrl}/${prefix}/boom`, { method: 'POST' })
    expect(reply.status).toBe(500)
    expect(reply.body).not.toMatch(/\bat .+:\d+|File "/)
  })
}

function eventScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/state'], 'it keeps values in engine state and hears of every change', async () => {
    const stranger = open()
    const where = { scope: stranger.prefix, key: 'tea' }
    const ask = async (id: string, payload: object) => (await relay(stranger, { function_id: id, payload })).result
    await ask('state::delete', where)
    expect(await ask('state::set', { ...where, value: { cups: 1 } })).toMatchObject({ new_value: { cups: 1 } })
    const ops = [{ type: 'increment', path: 'cups', by: 2 }]
    expect(await ask('state::update', { ...where, ops })).toMatchObject({ new_value: { cups: 3 } })
    expect(await ask('state::get', where)).toEqual({ cups: 3 })
    expect(await ask('state::list', { scope: where.scope })).toEqual([{ cups: 3 }])
    expect(await ask('state::delete', where)).toEqual({ cups: 3 })
    expect((await ask('state::get', where)) ?? null).toBeNull()

    const created = { event_type: 'state:created', key: 'tea', scope: where.scope, new_value: { cups: 1 } }
    const [heard] = await hear(stranger, 'state', (data) => (data as typeof created).event_type === 'state:created')
    expect(heard).toMatchObject({ data: created, metadata: NOTE })
    for (const type of ['state:updated', 'state:deleted']) {
      await hear(stranger, 'state', (data) => (data as typeof created).event_type === type)
    }
  })

  scenario(['stranger/messages'], 'it publishes to a topic and hears what it subscribed to', async () => {
    const stranger = open()
    const payload = { topic: `${stranger.prefix}.news`, data: { headline: 'Tea is ready' } }
    await relay(stranger, { function_id: 'publish', payload })
    const heard = await hear(stranger, 'subscribe', () => true)
    expect(heard).toMatchObject([{ data: payload.data }])
  })

  scenario(['stranger/log'], 'it logs through the engine and hears the lines of everybody', async () => {
    const stranger = open()
    const isLine = (message: string) => (data: unknown) => (data as { body?: unknown }).body === message
    const line = { message: `Noted by ${stranger.prefix}`, data: { cups: 2 }, service_name: 'kitchen' }
    await relay(stranger, { function_id: 'engine::log::warn', payload: line })
    const heard = { severity_text: 'WARN', severity_number: 13, service_name: 'kitchen', attributes: { cups: 2 } }
    expect(await hear(stranger, 'log', isLine(line.message))).toContainEqual({
      via: 'log',
      data: expect.objectContaining(heard),
      metadata: NOTE,
    })

    const message = `Logged by ${stranger.prefix}`
    await call(stranger, 'log', { message })
    expect(await hear(stranger, 'log', isLine(message))).toMatchObject([{ data: { severity_number: 13 } }])
  })
}

function durableScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/messages'], 'a durable message comes again until its function succeeds', async () => {
    const stranger = open()
    const payload = { topic: `${stranger.prefix}.jobs`, data: { job: 'brew', failures: 1 } }
    await relay(stranger, { function_id: 'iii::durable::publish', payload })
    const isTwice = async () => (await hear(stranger, 'durable_subscriber', () => true)).length === 2
    await until(isTwice, { what: 'the second delivery' })
  })
}

function channelScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/channels'], 'it streams messages and bytes through a channel', async () => {
    const line = 'a line of text\n'
    const drained = await call(open(), 'pour', { into: `${open().prefix}::drain`, text: line, times: 20_000 })
    expect(drained).toEqual({ messages: ['begin'], bytes: 20_000 * line.length, end: line.slice(-12) })
  })
}

function triggerTypeScenarios(open: () => StrangerWorker): void {
  scenario(['stranger/trigger-types'], 'others bind to its trigger type, are fired, and leave', async () => {
    const stranger = open()
    const { worker } = stranger.stack
    using ticked = await offerRecorded(worker, 'test::ticked')
    const type = `${stranger.prefix}-tick`
    const input = { type, function_id: 'test::ticked', config: { every: 1 }, metadata: { which: 'mine' } }
    const binding = worker.registerTrigger(input)
    const bound = async () => (await call<{ functions: string[] }>(stranger, 'bound')).functions
    await until(async () => (await bound()).includes('test::ticked'), { what: 'the binding' })
    expect(await call(stranger, 'tick', { n: 7 })).toEqual({ fired: 1 })
    expect(ticked.calls).toMatchObject([{ payload: { n: 7 }, metadata: { which: 'mine' } }])
    binding.unregister()
    await until(async () => (await bound()).length === 0, { what: 'the binding to be gone' })
  })

  scenario(['stranger/trigger-types'], 'it refuses a binding, and says why', async () => {
    const stranger = open()
    const type = `${stranger.prefix}-tick`
    const refused = new Promise<string>((resolve) => {
      const onError = ({ message }: { message: string }) => resolve(message)
      stranger.stack.worker.registerTrigger({ type, function_id: 'test::ticked', config: { every: 0 }, onError })
    })
    expect(await refused).toContain('every must be 1 or more')
  })
}

/** After a restart of the engine under it. */
export function strangerReconnects(open: () => StrangerWorker): void {
  scenario(['stranger/reconnect'], 'it is there again after a restart of the engine', async () => {
    const { prefix, stack } = open()
    await stack.stop('engine')
    await stack.startEngine()
    const isBack = async () => {
      const { sum } = await call<{ sum: number }>(open(), 'add', { a: 1, b: 1 })
      const { status } = await sendHttp(`${stack.httpUrl}/${prefix}/hello/again`, {})
      const tools = JSON.stringify(await requestOnce(stack.mcpUrl, 'tools/list'))
      return sum === 2 && status === 201 && tools.includes(`"${prefix}__add"`)
    }
    await until(isBack, { what: `${prefix} to be back, also for MCP clients`, deadlineMs: 30_000 })
  })
}
