import { describe, expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { startScriptedEngine } from '../testing/scripted-engine.ts'
import { startSlowLink } from '../testing/slow-link.ts'
import { invoke } from '../testing/start-worker.ts'
import { registerWorker } from '../worker/register-worker.ts'

const LONG = 'x'.repeat(15 * 1024 * 1024)
/** A long message takes longer than a worker waits for a sign of life, and what the kernel holds of it does not. */
const BYTES_PER_MS = 5 * 1024
const timings = { pingEveryMs: 100, deadAfterMs: 2_000, toldAfterMs: 2_000, droppedAfterMs: 2_000 }

describe('a slow network', () => {
  it('costs no connection on which a long result is on its way', async () => {
    await using engine = await startScriptedEngine()
    await using link = await startSlowLink(engine.port, BYTES_PER_MS)
    await using worker = registerWorker(`ws://127.0.0.1:${link.port}`, { log: createRecordedLog(), timings })
    worker.registerFunction('orders::export', () => LONG)
    const peer = await engine.nextPeer()
    await worker.ready()
    expect((await invoke(peer, 'orders::export', {}))['result']).toHaveLength(LONG.length)
    expect(engine.peers).toHaveLength(1)
  })

  it('costs no connection on which a long call is on its way', async () => {
    await using engine = await startScriptedEngine()
    await using link = await startSlowLink(engine.port, BYTES_PER_MS)
    await using worker = registerWorker(`ws://127.0.0.1:${link.port}`, { log: createRecordedLog(), timings })
    worker.registerFunction('orders::import', ({ rows }: { rows: string }) => rows.length)
    const peer = await engine.nextPeer()
    await worker.ready()
    expect(await invoke(peer, 'orders::import', { rows: LONG })).toMatchObject({ result: LONG.length })
    expect(engine.peers).toHaveLength(1)
  })

  it('is not taken for an engine that reads nothing, however much is registered', async () => {
    await using engine = await startScriptedEngine()
    await using link = await startSlowLink(engine.port, BYTES_PER_MS)
    const log = createRecordedLog()
    await using worker = registerWorker(`ws://127.0.0.1:${link.port}`, { log, timings })
    worker.registerFunction('orders::export', () => null, { metadata: { rows: LONG } })
    await worker.ready()
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([])
    expect(engine.peers).toHaveLength(1)
  })
})
