import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

describe('a result that breaks its schema', () => {
  it('goes out, and is told of once in the log; another function under the same id is looked at again', async () => {
    await using stage = await startScriptedStage()
    const response_format = z.object({ greeting: z.string() })
    const greet = () => ({ greting: 'Hello' }) as never
    const registration = stage.worker.registerFunction('a::greet', greet, {
      request_format: z.object({}),
      response_format,
    })
    for (let call = 0; call < 2; call++) {
      expect(await invoke(stage.peer, 'a::greet', {})).toMatchObject({ result: { greting: 'Hello' } })
    }
    const told = `a::greet returned what breaks its response_format (result.greeting: must be a string, but it is missing; result: must not have the key "greting")`
    const warning = `${told}: MCP clients refuse such results; this is said once`
    expect(stage.log.messages('warn')).toEqual([warning])
    registration.replace(greet, { request_format: z.object({}), response_format })
    await invoke(stage.peer, 'a::greet', {})
    expect(stage.log.messages('warn')).toEqual([warning, warning])
  })
})
