import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { createConflicts } from './find-conflicts.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function reside(url: string, name: string, namespace?: string, ...ids: readonly string[]): Promise<Worker> {
  const worker = registerWorker(url, { name, namespace, log })
  for (const id of ids) worker.registerFunction(id, () => null)
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

it.each([undefined, 'orders'])(
  'who has functions under a name of ours is found in our own namespace alone: %s',
  async (own) => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using us = await reside(engine.url, 'mcp-client', own, 'notes::read')
    await using _elsewhere = await reside(engine.url, 'far', 'other', 'notes::write', 'files::read')
    await using _here = await reside(engine.url, 'near', own, 'files::write')
    const conflicts = createConflicts(us)
    expect([await conflicts.find('notes'), await conflicts.find('files')]).toEqual([
      undefined,
      expect.stringContaining("'near'"),
    ])
    expect([...(await conflicts.findAll(['notes', 'files'])).keys()]).toEqual(['files'])
  },
)
