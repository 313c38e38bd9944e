import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { startScriptedEngine } from '../testing/scripted-engine.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { type StateRow, streamStateRows } from './state-rows.ts'
import { createStateScope } from './state-scope.ts'

async function collect(rows: AsyncIterable<StateRow>): Promise<StateRow[]> {
  const all: StateRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe('rows of a scope, one after the other', () => {
  it('are what was stored, also of a scope that costs a worker its connection', async () => {
    await using engine = await startMockEngine()
    const text = 'x'.repeat(200_000)
    for (let n = 0; n < 10; n++) await engine.call('state::set', { scope: 's', key: `${n}`, value: { n, text } })
    await engine.call('state::set', { scope: 's', key: 'short', value: { n: 'é "[,{\\' } })
    await using worker = registerWorker(engine.url, { maxMessageBytes: 1_000_000, log: createRecordedLog() })
    await expect(createStateScope(worker, 's').list()).rejects.toThrow('connection')
    const rows = await collect(streamStateRows(engine.url, 's', { maxRowBytes: 1_000 }))
    expect(rows).toHaveLength(11)
    expect(rows[0]).toEqual({ text: JSON.stringify({ n: 0, text }).slice(0, 1_000), isWhole: false })
    expect(rows.at(-1)).toEqual({ text: '{"n":"é \\"[,{\\\\"}', isWhole: true })
    expect(await collect(streamStateRows(engine.url, 'none'))).toEqual([])
  })

  it('leave nothing behind when the reader has enough', async () => {
    await using engine = await startScriptedEngine()
    const reading = streamStateRows(engine.url, 's')
    const first = reading.next()
    const peer = await engine.nextPeer()
    const { invocation_id } = await peer.next('invokefunction')
    peer.send({ type: 'invocationresult', invocation_id, function_id: 'state::list', result: [{ a: 1 }, { a: 2 }] })
    expect(await first).toEqual({ done: false, value: { text: '{"a":1}', isWhole: true } })
    await reading.return()
    await peer.closed
  })

  it('fail with what the engine says', async () => {
    await using engine = await startScriptedEngine()
    const rows = collect(streamStateRows(engine.url, 's'))
    const refused = expect(rows).rejects.toThrow("The engine does not list the scope 's': Function not found")
    const peer = await engine.nextPeer()
    const { invocation_id } = await peer.next('invokefunction')
    const error = { code: 'function_not_found', message: 'Function not found' }
    peer.send({ type: 'invocationresult', invocation_id, function_id: 'state::list', error })
    await refused
  })

  it('fail when the engine is silent, leaves, or is not there', async () => {
    await using engine = await startScriptedEngine()
    const silent = collect(streamStateRows(engine.url, 's', { silenceMs: 50 }))
    await expect(silent).rejects.toThrow('nothing for 50 ms')
    const left = expect(collect(streamStateRows(engine.url, 's'))).rejects.toThrow(/closed|aborted|ECONNRESET/)
    await engine.nextPeer()
    const peer = await engine.nextPeer()
    await peer.next('invokefunction')
    peer.cut()
    await left
    const { url } = engine
    await engine.close()
    await expect(collect(streamStateRows(url, 's'))).rejects.toThrow('ECONNREFUSED')
  })
})
