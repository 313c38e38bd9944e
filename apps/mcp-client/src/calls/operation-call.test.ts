import { expect, it } from 'vitest'
import { toOperations } from '../catalog/operation-functions.ts'
import { settle } from '../testing/manual-clock.ts'
import { createServerCaller } from '../testing/server-caller.ts'
import { allow, startServer } from '../testing/server-stage.ts'
import { runOperation } from './operation-call.ts'

it.each([
  ['resources-list', 'resources/list'],
  ['prompts-list', 'prompts/list'],
])('%s names its limit where the list does not come in time, and not work that may be done', async (name, method) => {
  await using stage = await startServer({
    config: { operations: true },
    answer(message, process) {
      if (message.method !== 'initialize') return
      const serverInfo = { name: 'slow', version: '1' }
      const capabilities = { resources: {}, prompts: {} }
      process.say({ id: message.id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
    },
  })
  await allow(stage)
  const id = `demo::mcp::${name}`
  const [fn] = toOperations(stage.server.config, { has: () => true }).filter((one) => one.id === id)
  if (fn === undefined) throw new Error(`there is no ${id}`)
  const refused = expect(runOperation(stage.server, fn, {}, createServerCaller('ada'))).rejects.toMatchObject({
    code: 'deadline',
    message: `It did not answer \`${method}\` to the end of the list within 15 s (timeouts.list_ms)`,
  })
  await settle()
  await stage.clock.advance(15_000)
  await refused
})
