import { describe, expect, it } from 'vitest'
import { toDefects } from '../bus/defects.ts'
import { Panic } from '../bus/panic.ts'
import { EngineError } from '../wire/engine-error.ts'
import { createHttpRoutes, type HttpRoutes } from './routes.ts'

const REAL = toDefects(false)

function add(routes: HttpRoutes, text: string): void {
  const [method = '', apiPath = ''] = text.split(/ (.*)/s)
  routes.add({
    triggerId: text,
    ownerId: 'w',
    functionId: 'f',
    namespace: 'default',
    method,
    apiPath,
    conditionId: undefined,
    middlewareIds: [],
    metadata: undefined,
  })
}

function outcome(routes: HttpRoutes, text: string): 'taken' | 'refused' | 'panic' {
  try {
    add(routes, text)
    return 'taken'
  } catch (error) {
    if (error instanceof EngineError) return 'refused'
    if (error instanceof Panic) return 'panic'
    throw error
  }
}

const params = (count: number) => Array.from({ length: count }, (_, i) => `/:p${i}`).join('')

/** What became of connections that registered these paths on a running engine, each on an engine of its own. */
describe('a path', () => {
  it.each([
    ...['/x/y*', '/{*x}', '/a{b}', '/{{a}}', '/a{{b', '/{{', '/}}', '/a{*b}', '/{a:b}', '/{a}/{a}', '/:a/:a', '/:a{'],
    ...['/:{a}', '/:*a', '/x/:a:b', '/x/a:b', '', '/', '//', '/a b', '/ü', '/%zz', '/a?b', '/a#b', '/\0', '/{/x}'],
    ...['/x/:a.json', '/x/:a-:b', '/{a}}}', '/{{{a}}}', '/{{{a}', params(25)],
  ])('%j is taken', (path) => {
    expect(outcome(createHttpRoutes(REAL), `GET ${path}`)).toBe('taken')
  })

  it.each([
    ...['/x/*', '/x/*y', '*', '/{', '/}', '/{}', '/x/:', '/:', '/{a}{b}', '/{*x}/y', '/{a}b', '/a{b}c', '/{a', '/a}'],
    ...['/{*}', '/{*b}c', '/{a}-{b}', '/{a*}', '/:a{b}', '/:a}', '/:a*', '/x/**', '/x/{a}.json', '/x/{*a}/', '/{}}'],
    params(26),
  ])('%j poisons the router', (path) => {
    const routes = createHttpRoutes(REAL)
    expect(outcome(routes, `GET ${path}`)).toBe('panic')
    expect(outcome(routes, 'GET /fine')).toBe('panic')
    expect(routes.find('GET', '/fine')).toBeUndefined()
    expect(outcome(createHttpRoutes(REAL), `FOO ${path}`)).toBe('taken')
    expect(outcome(createHttpRoutes(toDefects(true)), `GET ${path}`)).toBe('refused')
  })
})

describe('two paths', () => {
  it.each([
    ['GET /x/:a', 'POST /x/:b', 'panic'],
    ['GET /x/:a', 'GET /x/:b', 'refused'],
    ['GET /x/:a', 'POST /x/:a', 'taken'],
    ['GET /x/:a', 'GET /x/:b/y', 'taken'],
    ['GET /x/:a/y', 'GET /x/:b/z', 'taken'],
    ['GET /x/:a', 'GET /x/{a}', 'refused'],
    ['GET /x/:a', 'POST /x/{a}', 'taken'],
    ['GET /x/{a}', 'POST /x/{b}', 'panic'],
    ['GET /x/{*a}', 'POST /x/{*b}', 'panic'],
    ['GET /x/{*a}', 'POST /x/{*a}', 'taken'],
    ['GET /x/{*a}', 'GET /x/:b', 'refused'],
    ['GET /x/{*a}', 'POST /x/:b', 'panic'],
    ['GET /x/{*a}', 'GET /x/:b/y', 'panic'],
    ['GET /x/:b/y', 'GET /x/{*a}', 'panic'],
    ['GET /x/{*a}', 'GET /x/', 'taken'],
    ['GET /x/{*a}', 'GET /x', 'taken'],
    ['GET /:x/{*a}', 'GET /:y/{*b}', 'refused'],
    ['GET /:x/{*a}', 'POST /:y/{*a}', 'panic'],
    ['GET /a{b}', 'GET /a{c}', 'panic'],
    ['GET /a{b}', 'GET /{c}', 'taken'],
    ['GET /a{b}', 'POST /a{*c}', 'panic'],
    ['GET /a{b}', 'POST /{*c}', 'taken'],
    ['GET /ab/{c}', 'GET /a{b}/c', 'taken'],
    ['GET /{{a}}', 'GET /:b', 'refused'],
    ['GET ', 'GET /', 'refused'],
    ['GET x', 'GET /x', 'taken'],
    ['FOO /x/:a', 'GET /x/:b', 'taken'],
    ['GET /x/:a', 'FOO /x/:b', 'taken'],
    ['GET /:a/b', 'GET /:c/d', 'taken'],
    ['GET /:a/b', 'GET /:c/b', 'refused'],
    ['GET /:a/b', 'POST /:c/b', 'panic'],
  ] as const)('%s, then %s: %s', (first, second, expected) => {
    const routes = createHttpRoutes(REAL)
    add(routes, first)
    expect(outcome(routes, second)).toBe(expected)
    const fixed = createHttpRoutes(toDefects(true))
    add(fixed, first)
    expect(outcome(fixed, second)).toBe(expected === 'panic' ? 'refused' : expected)
  })
})

describe('a poisoned router', () => {
  it('leads the paths it knows to whatever is registered there now, and works again when the poison is gone', () => {
    const routes = createHttpRoutes(REAL)
    add(routes, 'GET /x/:a')
    add(routes, 'GET /kept')
    expect(outcome(routes, 'POST /x/:b')).toBe('panic')
    expect(outcome(routes, 'GET kept')).toBe('panic')
    expect(routes.find('GET', '/kept')).toMatchObject({ route: { triggerId: 'GET kept' } })
    const remove = () => routes.remove({ method: 'GET', apiPath: '/x/:a', triggerId: 'GET /x/:a', ownerId: 'w' })
    remove()
    expect(routes.find('POST', '/x/1')).toMatchObject({ route: { apiPath: '/x/:b' } })
    expect(routes.find('GET', '/x/1')).toEqual({ methods: ['POST'] })
    expect(remove).not.toThrow()
  })
})

it('a route is removed only by the trigger and the owner that serve it', () => {
  const routes = createHttpRoutes(REAL)
  add(routes, 'GET /x')
  const route = { method: 'GET', apiPath: '/x', triggerId: 'GET /x', ownerId: 'w' }
  routes.remove({ ...route, triggerId: 'other' })
  routes.remove({ ...route, ownerId: 'other' })
  expect(routes.find('GET', '/x')).toBeDefined()
  routes.remove(route)
  expect(routes.find('GET', '/x')).toBeUndefined()
})
