import { startMockEngine } from '@iii/mock-engine'
import { Fault, readMcpSidecar } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import {
  askForResult,
  begin,
  CAN,
  type Details,
  EXTENSION,
  form,
  get,
  offerJob,
  over,
  postWithTasks,
  TASK,
} from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

describe('a task', () => {
  it('is the result of a call whose function and client want it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const job = offerJob(bridge.other, 'jobs::run')
    await bridge.other.ready()
    const begun = await askForResult(bridge, 'tools/call', { name: 'jobs__run' })
    expect(begun).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{32}$/),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ttlMs: 5_400_000,
      pollIntervalMs: expect.any(Number),
    })
    for (const member of ['result', 'error', 'inputRequests', 'requestState']) expect(begun).not.toHaveProperty(member)
    expect(await get(bridge, begun.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    await job.called()
    job.end({ rows: 3 })
    expect(await over(bridge, begun.taskId)).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { structuredContent: { rows: 3 } },
    })
  })

  it('is an ordinary call for everybody else, and refused where it has to be one', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('jobs::may', () => 'done', TASK)
    bridge.other.registerFunction('jobs::must', () => 'done', { metadata: { mcp: { task: 'required' } } })
    bridge.other.registerFunction('jobs::never', () => 'done')
    await bridge.other.ready()
    const call = async (name: string, capabilities: object) =>
      (await postWithTasks(bridge, 'tools/call', { name }, capabilities)).message
    expect((await call('jobs__may', {})).result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] })
    expect((await call('jobs__never', CAN)).result).toMatchObject({ resultType: 'complete' })
    const refused = await postWithTasks(bridge, 'tools/call', { name: 'jobs__must' }, {})
    const message = expect.stringMatching(/^jobs::must .* runs as a task only; /)
    const data = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } }
    expect([refused.status, refused.message.error]).toEqual([400, { code: -32021, message, data }])
    expect(await bridge.call('jobs__may')).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(await bridge.call('jobs__must')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/task only/) }],
    })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await postWithTasks(bridge, method, { taskId: 'x', inputResponses: {} }, {})).message.error?.code).toBe(
        -32021,
      )
      expect((await bridge.rpc(method, { taskId: 'x' })).message.error?.code).toBe(-32601)
    }
  })

  it('completes also with an error of its tool, and fails with one of the protocol', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('jobs::wrong', () => Promise.reject(new Fault('conflict', 'Taken')), TASK)
    const failure = { result_type: 'protocol_error', code: -32603, message: 'Broken', data: { at: 1 } }
    bridge.other.registerFunction('jobs::broken', () => failure, TASK)
    bridge.other.registerFunction('jobs::slow', () => new Promise(() => undefined), {
      metadata: { mcp: { task: 'optional', timeout_ms: 50 } },
    })
    await bridge.other.ready()
    const wrong = await over(bridge, await begin(bridge, 'jobs__wrong'))
    expect(wrong).toMatchObject({ status: 'completed', result: { isError: true, content: [{ text: 'Error: Taken' }] } })
    const broken = await over(bridge, await begin(bridge, 'jobs__broken'))
    expect(broken).toMatchObject({ status: 'failed', error: { code: -32603, message: 'Broken', data: { at: 1 } } })
    expect(broken).not.toHaveProperty('result')
    expect(broken).toHaveProperty('statusMessage', 'Broken')
    const slow = await over(bridge, await begin(bridge, 'jobs__slow'))
    expect(slow).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/outcome is unknown/) } })
  })

  it('asks its client, answer by answer and round by round', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const heard: unknown[] = []
    bridge.other.registerFunction(
      'jobs::asks',
      (_, metadata) => {
        const { input_responses: answers, request_state: state } = readMcpSidecar(metadata) ?? {}
        heard.push(answers)
        if (state === 'second') return 'done'
        const requests = answers === undefined ? { one: form, two: form } : { one: form }
        return { result_type: 'input_required', input_requests: requests, request_state: answers ? 'second' : 'first' }
      },
      TASK,
    )
    await bridge.other.ready()
    const taskId = await begin(bridge, 'jobs__asks')
    const asked = () =>
      untilAnswer(
        () => get(bridge, taskId),
        ({ status }) => status !== 'working',
      )
    const update = (inputResponses: object) => postWithTasks(bridge, 'tasks/update', { taskId, inputResponses })
    const yes = { action: 'accept', content: {} }
    expect(await asked()).toMatchObject({ status: 'input_required', inputRequests: { one: form, two: form } })
    expect((await update({ nobody: { ignored: true } })).message.result).toMatchObject({ resultType: 'complete' })
    expect((await update({ two: 5 })).message.error?.code).toBe(-32602)
    const { message } = await update({ two: yes })
    for (const member of ['taskId', 'status', 'inputRequests']) expect(message.result).not.toHaveProperty(member)
    expect((await get(bridge, taskId))['inputRequests']).toEqual({ one: form })
    await update({ one: yes, two: { action: 'cancel' } })
    // A name that was answered is not used again.
    expect((await asked())['inputRequests']).toEqual({ 'one-2': form })
    await update({ 'one-2': { action: 'decline' } })
    expect(await over(bridge, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    expect(heard).toEqual([undefined, { one: yes, two: yes }, { one: { action: 'decline' } }])
    expect((await update({ one: yes })).message.result).toMatchObject({ resultType: 'complete' })
    const other = await postWithTasks(bridge, 'tools/call', { name: 'jobs__asks' }, { extensions: { [EXTENSION]: {} } })
    const mute = await over(bridge, (other.message.result as Details).taskId)
    expect(mute).toMatchObject({ status: 'failed', error: { code: -32021 } })
  })

  it('goes on by itself where its function asks nothing, eight times and no more', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const offer = (id: string, rounds: number) =>
      bridge.other.registerFunction(
        id,
        (_, metadata) => {
          const { input_responses: answers, request_state: state = '0' } = readMcpSidecar(metadata) ?? {}
          if (Number(state) === rounds) return { answers, state }
          return { result_type: 'input_required', input_requests: {}, request_state: String(Number(state) + 1) }
        },
        TASK,
      )
    offer('jobs::patient', 8)
    offer('jobs::endless', 9)
    await bridge.other.ready()
    const patient = await over(bridge, await begin(bridge, 'jobs__patient'))
    expect(patient).toMatchObject({ status: 'completed', result: { structuredContent: { answers: {}, state: '8' } } })
    const endless = await over(bridge, await begin(bridge, 'jobs__endless'))
    expect(endless).toMatchObject({ result: { isError: true, content: [{ text: expect.stringMatching(/8 times/) }] } })
  })

  it('begins with the answers, for a function that asks first', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction(
      'jobs::named',
      (_, metadata) => {
        const { input_responses: answers, task } = readMcpSidecar(metadata) ?? {}
        if (answers === undefined)
          return { result_type: 'input_required', input_requests: { name: form }, request_state: 's' }
        return { answers, isTask: task !== undefined }
      },
      { metadata: { mcp: { task: 'required', asks_first: true } } },
    )
    await bridge.other.ready()
    const first = await askForResult(bridge, 'tools/call', { name: 'jobs__named' })
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: form } })
    expect(first).not.toHaveProperty('taskId')
    const answers = { name: { action: 'accept', content: { name: 'Alice' } } }
    const retry = { name: 'jobs__named', inputResponses: answers, requestState: first['requestState'] }
    const second = await askForResult(bridge, 'tools/call', retry)
    expect(second).toMatchObject({ resultType: 'task', status: 'working' })
    const { result: end } = await over(bridge, second.taskId)
    expect(end).toMatchObject({ structuredContent: { answers, isTask: true } })
    const forged = await postWithTasks(bridge, 'tools/call', { ...retry, requestState: 'forged' })
    expect(forged.message.error?.code).toBe(-32602)
  })

  it('is cancelled, and its function is told', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const told: unknown[] = []
    const job = offerJob(bridge.other, 'jobs::run', { 'mcp.cancel': 'jobs::stop' })
    bridge.other.registerFunction('jobs::stop', (payload) => told.push(payload), { metadata: { 'mcp.expose': false } })
    await bridge.other.ready()
    const taskId = await begin(bridge, 'jobs__run')
    await job.called()
    const cancelled = await askForResult(bridge, 'tasks/cancel', { taskId })
    expect(cancelled).toMatchObject({ resultType: 'complete' })
    for (const member of ['taskId', 'status']) expect(cancelled).not.toHaveProperty(member)
    expect(await get(bridge, taskId)).toMatchObject({ status: 'cancelled' })
    await untilAnswer(
      () => told.length,
      (count) => count === 1,
    )
    expect(told).toEqual([{ call_id: readMcpSidecar(job.calls[0])?.call_id }])
    job.end('too late')
    await askForResult(bridge, 'tasks/cancel', { taskId })
    expect(await get(bridge, taskId)).not.toHaveProperty('result')
  })

  it('that nobody knows is a mistake of the client', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const taskId of ['nope', 'a'.repeat(500), '../x', '__proto__']) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const { message } = await postWithTasks(bridge, method, { taskId, inputResponses: {} })
        expect(message.error).toMatchObject({ code: -32602, message: expect.stringMatching(/Unknown task/) })
      }
    }
    expect((await postWithTasks(bridge, 'tasks/get', { taskId: 5 })).message.error?.code).toBe(-32602)
    expect((await postWithTasks(bridge, 'tasks/update', { taskId: 'x' })).message.error?.code).toBe(-32602)
    for (const method of ['tasks/list', 'tasks/result']) {
      expect((await postWithTasks(bridge, method, { taskId: 'x' })).message.error?.code).toBe(-32601)
    }
  })
})
