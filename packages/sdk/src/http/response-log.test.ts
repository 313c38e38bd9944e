import { describe, expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

const request = { method: 'GET', path: '/a', response: { channel_id: 'c', access_key: 'k', direction: 'write' } }

describe('a response that the engine reads otherwise than it was meant', () => {
  it.each([
    [{ status: 404 }, "'status', which is not read, so with 200; did you mean 'status_code'?"],
    [{ statusCode: 404, body: {} }, "'statusCode', which is not read, so with 200; did you mean 'status_code'?"],
    [{ status_code: '404' }, 'status_code as a string, so with 200: it has to be a number'],
    [
      { status_code: 200, body: Buffer.from('tea') },
      'bytes as body, which go out as JSON: worker.openChannelWriter(request.response) sends them as they are',
    ],
  ])('is told of once: %o', async (response, says) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => response)
    await invoke(stage.peer, 'a::b', request)
    expect(await invoke(stage.peer, 'a::b', request)).toHaveProperty('result')
    expect(stage.log.messages('warn')).toEqual([`a::b answered a request with ${says} (this is said once)`])
  })

  it.each([
    [{ status: 404 }, { method: 'GET' }],
    [{ status: 404 }, null],
    [{ status: 'open', body: { status: 404 } }, request],
    [{ status: 1, status_code: 404 }, request],
    [undefined, request],
    ['tea', request],
  ])('is none: %o for %o', async (response, payload) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => response)
    await invoke(stage.peer, 'a::b', payload)
    expect(stage.log.messages('warn')).toEqual([])
  })
})
