import { describe, expect, it } from 'vitest'
import { toDefects } from '../bus/defects.ts'
import { createHttpRoutes } from './routes.ts'

const PATHS = [
  '/t/:id',
  'u/{name}/x',
  '/w/{*rest}',
  '/v/:a/lit',
  '/v/lit/:b',
  '/v/lit/zz/:q',
  '/:one/:two/:three/:four',
  '/rt/',
  '/a:b/c',
  '//dbl',
  '',
  '/%41x',
]

/** What the engine answered to the same requests on the same routes. */
describe('routes', () => {
  const routes = createHttpRoutes(toDefects(false))
  for (const apiPath of PATHS) {
    routes.add({
      triggerId: apiPath,
      ownerId: undefined,
      functionId: 'f',
      namespace: 'default',
      method: 'GET',
      apiPath,
      conditionId: undefined,
      middlewareIds: [],
      metadata: undefined,
    })
  }

  it.each([
    ['/t/1', '/t/:id', { id: '1' }],
    ['/t/%zz', '/t/:id', { id: '%zz' }],
    ['/u/5/x', 'u/{name}/x', {}],
    ['/w/a/b/c', '/w/{*rest}', {}],
    ['/v/lit/lit', '/v/lit/:b', { b: 'lit' }],
    ['/v/x/lit', '/v/:a/lit', { a: 'x' }],
    ['/v/lit/zz/1', '/v/lit/zz/:q', { q: '1' }],
    ['/1/2/3/4', '/:one/:two/:three/:four', { one: '1', two: '2', three: '3', four: '4' }],
    ['/1//3/4', '/:one/:two/:three/:four', {}],
    ['/rt/', '/rt/', {}],
    ['/a:b/c', '/a:b/c', {}],
    ['//dbl', '//dbl', {}],
    ['/', '', {}],
    ['/%41x', '/%41x', {}],
  ])('%s goes to %s', (path, apiPath, params) => {
    const found = routes.find('GET', path)
    expect(found).toMatchObject({ route: { apiPath } })
    expect(found && 'params' in found && Object.fromEntries(found.params)).toEqual(params)
  })

  it.each(['/t/', '/t//', '/t', '/t//x', '/w/', '/w', '/1/2/3/', '/rt', '/axb/c', '/dbl', '/Ax', '*'])(
    '%s goes nowhere',
    (path) => {
      expect(routes.find('GET', path)).toBeUndefined()
    },
  )

  it('knows the methods of a path', () => {
    expect(routes.find('POST', '/t/1')).toEqual({ methods: ['GET'] })
  })
})
