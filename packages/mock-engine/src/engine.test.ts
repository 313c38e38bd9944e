import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startMockEngine } from './engine.ts'
import { PortTakenError } from './listen.ts'
import type { LogLine } from './observability/log-functions.ts'
import { inTempFolder } from './testing/temp-folder.ts'

describe('startMockEngine', () => {
  it('gives every engine ports of its own', async () => {
    await using first = await startMockEngine()
    await using second = await startMockEngine()
    expect(new Set([first.port, first.httpPort, second.port, second.httpPort]).size).toBe(4)
    expect((await fetch(`${second.httpUrl}/nothing-here`)).status).toBe(404)
  })

  it('names the port that is taken, and holds no other one then', async () => {
    await using first = await startMockEngine()
    const refusal = await startMockEngine({ httpPort: first.httpPort }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(PortTakenError)
    expect(refusal).toMatchObject({ port: first.httpPort, use: 'http' })
    await expect(startMockEngine({ port: first.port })).rejects.toMatchObject({ port: first.port, use: 'bus' })
    await expect(startMockEngine({ port: 'x' as never })).rejects.toThrow(/port should be >= 0 and < 65536/)
  })

  it('cuts workers and clients when it closes, and does so twice without harm', async () => {
    const engine = await startMockEngine()
    const socket = new WebSocket(engine.url)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await new Promise((resolve) => socket.on('open', resolve))
    await engine.close()
    await engine.close()
    expect(await closed).toBe(1006)
  })

  it('calls functions as the engine does', async () => {
    await using engine = await startMockEngine()
    expect(await engine.call('state::set', { scope: 's', key: 'k', value: 1 })).toEqual({
      old_value: null,
      new_value: 1,
    })
    expect(await engine.call('state::get', { scope: 's', key: 'none' })).toBeUndefined()
    await expect(engine.call('no::such')).rejects.toMatchObject({ code: 'function_not_found' })
    await expect(engine.call('state::get', { scope: '\ud800' })).rejects.toMatchObject({ code: 'serialization_error' })
  })

  it('shows the frames that pass', async () => {
    await using engine = await startMockEngine()
    const seen: string[] = []
    const stop = engine.onFrame(({ direction, frame }) => seen.push(`${direction} ${String(frame['type'])}`))
    const socket = new WebSocket(engine.url)
    await new Promise((resolve) => socket.on('open', resolve))
    socket.send('{"type":"ping"}')
    await vi.waitFor(() => expect(seen).toEqual(['out workerregistered', 'in ping', 'out pong']))
    stop()
    socket.terminate()
  })

  it('hands log lines of workers on', async () => {
    const log = vi.fn()
    await using engine = await startMockEngine({ log })
    await engine.call('engine::log::warn', { message: 'low on fuel', service_name: 'rocket' })
    expect(log).toHaveBeenCalledWith({ level: 'warn', message: 'low on fuel', service: 'rocket' })
  })
})

describe('dataDir', () => {
  it('keeps state over a restart, for one engine at a time', async () => {
    await inTempFolder(async (dataDir) => {
      const first = await startMockEngine({ dataDir })
      await first.call('state::set', { scope: 's', key: 'k', value: 0.5 })
      await expect(startMockEngine({ dataDir })).rejects.toThrow(`process ${process.pid} keeps its state there`)
      await first.close()
      await using second = await startMockEngine({ dataDir })
      expect(await second.call('state::get', { scope: 's', key: 'k' })).toBe(0.5)
    })
  })

  it('that becomes useless is told at once, and by the close', async () => {
    await inTempFolder(async (parent) => {
      const dataDir = join(parent, 'data')
      const lines: LogLine[] = []
      const engine = await startMockEngine({ dataDir, log: (line) => lines.push(line) })
      await rm(dataDir, { recursive: true })
      await writeFile(dataDir, '')
      await engine.call('state::set', { scope: 's', key: 'k', value: 1 })
      await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000, interval: 10 })
      expect(lines[0]).toMatchObject({ level: 'error', message: expect.stringContaining('cannot be written') })
      await expect(engine.close()).rejects.toThrow('what is not in there is lost')
    })
  })

  it('is free again when the engine finds a port taken', async () => {
    await inTempFolder(async (dataDir) => {
      await using other = await startMockEngine()
      await expect(startMockEngine({ dataDir, port: other.port })).rejects.toThrow(PortTakenError)
      await using engine = await startMockEngine({ dataDir })
      expect(await engine.call('state::get', { scope: 's', key: 'k' })).toBeUndefined()
    })
  })
})
