import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

describe('what a handler throws', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a fault with its code',
      () => {
        throw new Fault('not_found', 'No such order')
      },
      'No such order [not_found]',
    ],
    [
      'an error',
      () => {
        throw new Error('disk full')
      },
      'disk full',
    ],
    ['a rejection', () => Promise.reject(new Error('later')), 'later'],
    [
      'an error without a text',
      () => {
        throw new TypeError()
      },
      'TypeError',
    ],
    [
      'several errors without a text for all of them',
      () => {
        const refused = ['::1', '127.0.0.1', '::1'].map((host) => new Error(`connect ECONNREFUSED ${host}:5432`))
        throw new AggregateError(refused)
      },
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    ],
    [
      'a string',
      () => {
        throw 'just text'
      },
      'just text',
    ],
    [
      'nothing',
      () => {
        throw undefined
      },
      'undefined was thrown, which is no Error and has no message',
    ],
    ['a rejection of nothing', () => Promise.reject(null), 'null was thrown, which is no Error and has no message'],
    [
      'an empty text',
      () => {
        throw ''
      },
      'An empty text was thrown, which is no Error and has no message',
    ],
    ['an empty list', () => Promise.reject([]), 'unknown error'],
    ['a text of white space', () => Promise.reject(' \n'), 'unknown error'],
    [
      'an error that was not made',
      () => {
        throw TypeError
      },
      'A function was thrown, which is no Error and has no message',
    ],
    [
      'a number',
      () => {
        throw 404
      },
      '404',
    ],
    [
      'an object with a message',
      () => {
        throw { message: 'No such order', code: 404 }
      },
      'No such order',
    ],
    [
      'an object without one',
      () => {
        throw { code: 404 }
      },
      '[object Object] was thrown, which is no Error and has no message',
    ],
    [
      'what cannot be shown',
      () => {
        throw {
          toString() {
            throw new Error('not even that')
          },
        }
      },
      'unknown error',
    ],
    [
      'an error that carries a stack',
      () => {
        throw new Error(new Error('inner').stack)
      },
      'Error: inner',
    ],
    [
      'an error that tells of the machine',
      () => {
        throw new Error("ENOENT: open '/data/orders.json', password=hunter2")
      },
      "ENOENT: open '<path>', password=<secret>",
    ],
    [
      'the fault of another function, whose code stays however long its text is',
      () => {
        throw new Error(`${'x'.repeat(5000)} [not_found]`)
      },
      `${'x'.repeat(4093)}… [not_found]`,
    ],
    [
      'a fault as it was written',
      () => {
        throw new Fault('invalid_input', 'No file /data/orders.json')
      },
      'No file /data/orders.json [invalid_input]',
    ],
    [
      'a fault that carries a stack',
      () => {
        throw new Fault('internal', new Error('inner').stack ?? '')
      },
      'Error: inner [internal]',
    ],
  ])('reaches the caller as text: %s', async (_, handler, message) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', handler)
    const { error } = await invoke(stage.peer, 'a::b', {})
    expect(error).toEqual({ code: 'invocation_failed', message })
  })

  it('is in the log as it is, unless it was thrown on purpose', async () => {
    await using stage = await startScriptedStage()
    const error = new Error('no /data/orders.json')
    stage.worker.registerFunction('a::b', () => {
      throw error
    })
    stage.worker.registerFunction('a::c', () => {
      throw new Fault('not_found', 'No such order')
    })
    await invoke(stage.peer, 'a::b', {})
    await invoke(stage.peer, 'a::c', {})
    expect(stage.log.lines.filter(({ message }) => message === 'a handler failed')).toMatchObject([
      { level: 'debug', fields: { function_id: 'a::b', err: error } },
    ])
  })

  it('is also what cannot be sent', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::number', () => ({ n: Number.NaN }))
    stage.worker.registerFunction('a::large', async () => 'x'.repeat(17 * 1024 * 1024))
    const message = async (id: string) => (await invoke(stage.peer, id, {})).error?.message
    expect(await message('a::number')).toBe(
      'The result of a::number holds NaN at n, which is not a JSON number [invalid_input]',
    )
    expect(await message('a::large')).toMatch(/^The result of a::large makes a message of 178\d+ bytes.*\[too_large\]$/)
  })

  it('says that a function is not ours', async () => {
    await using stage = await startScriptedStage()
    expect(await invoke(stage.peer, 'nobody::home', {})).toMatchObject({ error: { code: 'function_not_found' } })
  })
})
