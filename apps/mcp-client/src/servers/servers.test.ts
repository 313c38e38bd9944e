import { createLog } from '@iii/sdk'
import { expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { loadProtocolClient } from '../session/protocol-client.ts'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { behave, createMemoryProcess, type MemoryProcess } from '../testing/memory-process.ts'
import { toConfig } from '../testing/server-config.ts'
import { createServers } from './servers.ts'

// Its first load takes longer than any turn that a test waits for.
await loadProtocolClient({ name: 'test', version: '0' })

/** Servers in memory, each of which writes many lines to stderr. */
function startServers() {
  const processes: MemoryProcess[] = []
  const judged: string[] = []
  const clock = createManualClock()
  const servers = createServers({
    starter: {
      ...{ clock, client: { name: 'test', version: '0' } },
      prepare: async () => ({ variables: {}, filter: createSecretFilter([]) }),
      spawn() {
        const process = createMemoryProcess(behave)
        process.stderr.write(Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join(''))
        processes.push(process)
        return process
      },
    },
    pins: {
      async judge({ name }, tools) {
        judged.push(name)
        return { approved: tools, pending: [] }
      },
    },
    log: createLog({ name: 'test', level: 'silent' }),
    offer: () => ({ replace: () => undefined, unregister: () => undefined }),
    onFunctions: () => undefined,
    findConflict: async () => undefined,
  })
  const apply = async (...names: string[]) => {
    servers.apply(names.map((name) => ({ name, config: toConfig({ name }), warnings: [] })))
    for (let turn = 0; turn < 4; turn++) await settle()
  }
  servers.allow(true)
  return { servers, processes, judged, apply, [Symbol.asyncDispose]: () => servers.close() }
}

it('of one server all last lines of stderr are told, and of all together a few', async () => {
  await using stage = startServers()
  await stage.apply('one')
  expect(stage.servers.status('one').stderr).toHaveLength(100)
  expect(stage.servers.statuses()).toMatchObject([
    { name: 'one', stderr: ['line 95', 'line 96', 'line 97', 'line 98', 'line 99'] },
  ])
})

it('a server that is no more in the file is forgotten when it has ended, and may come back', async () => {
  await using stage = startServers()
  await stage.apply('one', 'two')
  expect(stage.servers.statuses()).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
  await stage.apply('one')
  // It may have functions until it has ended.
  expect(stage.servers.names).toEqual(['one', 'two'])
  await stage.apply('one', 'other')
  expect(stage.servers.names).toEqual(['one', 'other'])
  stage.judged.length = 0
  stage.servers.judge()
  await settle()
  expect(stage.judged.sort()).toEqual(['one', 'other'])
  await stage.apply('one', 'two')
  expect(stage.servers.statuses()).toMatchObject([{ state: 'ready' }, { name: 'two', state: 'ready' }])
  expect(stage.processes).toHaveLength(4)
})
