import { Fault } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkApiPath, checkTriggerConfig, findParamConflict } from './trigger-config.ts'

describe('the path of an http trigger', () => {
  it.each(['mcp', '/mcp', '/', '/a/b-c.d_e~f', '/orders/:id', '/:a/:b_2', '/mcp/', 'A1'])('may be %s', (path) => {
    expect(checkApiPath(path)).toBeUndefined()
  })

  it.each([
    ['', "api_path is required, for example '/orders/:id'"],
    [undefined, "api_path is required, for example '/orders/:id'"],
    [5, "api_path is required, for example '/orders/:id'"],
    ['/*', "the segment '*'"],
    ['/a/*rest', "the segment '*rest'"],
    ['/{', "the segment '{'"],
    ['/}', "the segment '}'"],
    ['/{}', "the segment '{}'"],
    ['/{id}', "the segment '{id}'"],
    ['/{a}{b}', "the segment '{a}{b}'"],
    ['/{*x}/y', "the segment '{*x}'"],
    ['/:', "the segment ':'"],
    ['/:a:b', "the segment ':a:b'"],
    ['/:1', "the segment ':1'"],
    ['/x/a:b', "the segment 'a:b'"],
    ['/a b', "the segment 'a b'"],
    ['/é', "the segment 'é'"],
    ['/a%20b', "the segment 'a%20b'"],
    ['/a?b', "the segment 'a?b'"],
    ['//a', 'has an empty segment'],
    ['/a//b', 'has an empty segment'],
    ['/a//', 'has an empty segment'],
    ['/:a/:a', "has the parameter ':a' twice"],
    ['/a\n', 'the segment'],
  ])('may not be %j', (path, reason) => {
    expect(checkApiPath(path)).toContain(reason)
  })

  it('never holds what the router of the engine does not survive', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'/:*{}ab1.-_~% ') }), (path) => {
        if (checkApiPath(path) !== undefined) return
        expect(path).toMatch(/^\/?(?:(?::[a-z_][a-z0-9_]*|[a-z0-9._~-]+)\/?)*$/)
        expect(path).not.toContain('//')
      }),
    )
  })
})

describe('two paths of one worker', () => {
  it.each([
    ['/x/:b', '/x/:a', true],
    ['x/:b/c', '/x/:a', true],
    ['/x/:a/:c', '/x/:a/:b', true],
    ['/x/:a', '/x/:a', false],
    ['/x/:a', '/x/lit', false],
    ['/x/:a', '/y/:b', false],
    ['/x/:a/z', '/x/:a', false],
  ])('%s beside %s: conflict %s', (path, other, isConflict) => {
    expect(findParamConflict(path, ['/else', other])).toBe(isConflict ? other : undefined)
    expect(findParamConflict(other, [path])).toBe(isConflict ? path : undefined)
  })
})

describe('the config of a trigger', () => {
  it.each([
    ['http', { api_path: '/a', http_method: 'post' }],
    ['http', { api_path: 'a' }],
    ['http', { api_path: 'a', middleware_function_ids: ['tea::ask'], condition_function_id: 'tea::is-open' }],
    ['http', { api_path: 'a', middleware_function_ids: null, condition_function_id: null }],
    ['stream', { stream_name: 's' }],
    ['stream:join', { stream_name: 's' }],
    ['cron', { expression: '0 */5 * * * *' }],
    ['cron', { expression: '@daily' }],
    ['log', { level: 'warn' }],
    ['log', {}],
    ['anything::else', undefined],
    ['state', null],
  ])('of type %s may be %j', (type, config) => {
    expect(() => checkTriggerConfig(type, config)).not.toThrow()
  })

  it.each([
    ['http', undefined, /api_path is required/],
    ['http', { api_path: '/a/{b}' }, /a segment is letters, digits/],
    ['http', { api_path: '/a', http_method: 'FETCH' }, /http_method 'FETCH' is none of GET, POST/],
    ['http', { api_path: '/a', http_method: 1 }, /http_method '1' is none of/],
    ['cron', { expression: '*/5 * * * *' }, /has five fields, .* six or seven, seconds first: '0 \*\/5 \* \* \* \*'/],
    ['cron', { schedule: '0 */5 * * * *' }, /needs config\.expression, for example '0 \*\/5 /],
    [
      'cron',
      { expresion: '0 */5 * * * *' },
      /type 'cron' has 'expresion', which is not read; did you mean 'expression'\?/,
    ],
    ['http', { path: '/a' }, /has 'path', which is not read; did you mean 'api_path'\?/],
    ['http', { api_path: '/a', method: 'POST' }, /did you mean 'http_method'\?/],
    [
      'http',
      { api_path: '/a', middleware_function_ids: 'tea::ask' },
      /takes middleware_function_ids as a list of ids, such as \['orders::authenticate'\], not "tea::ask"/,
    ],
    ['http', { api_path: '/a', middleware_function_ids: [{ id: 'tea::ask' }] }, /not \[\{"id":"tea::ask"\}\]/],
    ['http', { api_path: '/a', condition_function_id: ['tea::ask'] }, /condition_function_id as a text, not as a list/],
    ['cron', { expression: '@daily', condition_function_id: 5 }, /condition_function_id as a text, not as a number/],
    ['state', { scopes: 'a' }, /did you mean 'scope'\?/],
    ['log', { level: 'WARN' }, /takes a level in small letters, such as 'warn', .* not "WARN"/],
    ['log', { level: 2 }, /config\.level, not 2/],
    ['stream', {}, /needs the name of its stream as config.stream_name/],
    ['stream:leave', { stream_name: '' }, /trigger of type 'stream:leave' needs/],
  ])('of type %s may not be %j', (type, config, message) => {
    expect(() => checkTriggerConfig(type, config)).toThrow(Fault)
    expect(() => checkTriggerConfig(type, config)).toThrow(message)
  })
})

describe('the config of a subscriber', () => {
  it.each(['subscribe', 'durable:subscriber'])('of type %s needs a topic', (type) => {
    const says = `A trigger of type '${type}' needs config.topic, for example 'orders.created'`
    for (const config of [undefined, {}, { topic: '' }, { topic: 5 }]) {
      expect(() => checkTriggerConfig(type, config)).toThrow(says)
    }
    expect(() => checkTriggerConfig(type, { topic: 'orders' })).not.toThrow()
  })
})
