import { expect, it } from 'vitest'
import { toCall } from '../testing/invoker.ts'
import { createMcpResources } from './index.ts'

it('whether an address can be read is known without a look at what is near, which a refusal tells', async () => {
  const looked: string[] = []
  const look = (what: string, near: readonly unknown[]) => async () => {
    looked.push(what)
    return near
  }
  const denial = { allowed: false, reason: 'unknown', message: 'Nobody has it' }
  const resources = createMcpResources({
    registry: { list: look('skills', [{ uri: 'iii://orders' }]) },
    declared: { find: async () => undefined, resources: look('declared', [{ uri: 'shop://tea' }]) },
    engine: {
      resources: () => [],
      read: async () => denial,
      functionIds: look('functions', ['orders::create']),
      advise: async () => {
        looked.push('engine')
        return { ...denial, message: 'Nobody has it. Nearest: iii://functions/orders::create' }
      },
    },
    gate: { admit: async () => denial, judge: async () => new Map() },
    catalog: {},
  } as never)
  const uris = ['iii://fn/orders/creat', 'iii://functions/orders::crea', 'iii://Orders', 'shop://teas']
  const readable = await Promise.all(uris.map((uri) => resources.isReadable(uri, toCall())))
  expect([readable, looked]).toEqual([[false, false, false, false], []])

  for (const [at, near] of [/iii:\/\/fn\/orders\/create/, /orders::create/, /iii:\/\/orders/, /shop:\/\/tea/].entries())
    await expect(resources.check(uris[at] ?? '', toCall())).rejects.toThrow(near)
  expect(looked).toEqual(['functions', 'engine', 'skills', 'declared'])
})
