import { chmod, readFile } from 'node:fs/promises'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { createFolder, type TestFolder } from '../testing/folder.ts'
import { startManaged, toTestHost } from '../testing/managed-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

/** A Node that says something, writes down who it is, and never gets to the code. */
async function createIdleNode(folder: TestFolder): Promise<string> {
  const lines = ['#!/bin/sh', `echo $$ > '${folder.path}/pid'`, 'echo waiting for ever >&2', 'exec /bin/sleep 60', '']
  const node = await folder.write('node', lines.join('\n'))
  await chmod(node, 0o755)
  return node
}

function findProcess(folder: TestFolder): Promise<number> {
  return untilAnswer(
    async () => Number(await readFile(`${folder.path}/pid`, 'utf8').catch(() => '')),
    (pid) => pid > 0,
  )
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const name = 'iii_worker_register'
const input = { language: 'node', code: '() => 1', function_name: 'made::late' }

describe('a worker whose function does not come up', () => {
  it('is told of while the client waits, and left running with what it said', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const host = toTestHost({ node: await createIdleNode(folder) })
    await using managed = await startManaged(engine.url, { host, limits: { streamMs: 4_000 } })
    const { bridge } = managed
    const params = { name, arguments: input, _meta: { progressToken: 'start' } }
    const result = await bridge.result('tools/call', params)
    const { id, message } = result['structuredContent'] as { id: string; message: string }
    expect(message).toMatch(
      /^Worker created, but 'made::late' is not registered after 2 s: .*end the worker with iii_worker_stop\.\nIts output:\nwaiting for ever$/s,
    )
    const told = bridge.messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)
    expect(told[0]).toEqual({ progressToken: 'start', progress: 0, total: 2, message: 'The worker is starting' })
    const waiting = { progressToken: 'start', progress: 1, total: 2, message: expect.stringContaining("'made::late'") }
    for (const params of told.slice(1)) expect(params).toEqual(waiting)
    // That takes no engine.
    await engine.close()
    expect((await managed.call('iii_worker_stop', { id })).isError).toBe(false)
    expect(isThere(await findProcess(folder))).toBe(false)
  })

  it('ends when its client gives the call up', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const host = toTestHost({ node: await createIdleNode(folder) })
    await using managed = await startManaged(engine.url, { host })
    managed.bridge.send({ id: 'made', method: 'tools/call', params: { name, arguments: input } })
    const pid = await findProcess(folder)
    managed.bridge.notify('notifications/cancelled', { requestId: 'made' })
    await untilAnswer(
      () => isThere(pid),
      (there) => !there,
    )
    expect(managed.bridge.messages.some((message) => message.id === 'made')).toBe(false)
  })
})
