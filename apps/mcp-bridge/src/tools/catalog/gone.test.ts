import { createLog } from '@iii/sdk'
import { expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import type { FunctionDetail } from '../../gate/directory.ts'
import { createCatalog } from './index.ts'

const log = createLog({ name: 'mcp', level: 'silent' })
const rules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }

function toDetail(id: string): FunctionDetail {
  return { id, description: undefined, requestSchema: undefined, responseSchema: undefined, metadata: undefined }
}

it('a function that was gone for a moment is listed as soon as the engine has it again', async () => {
  const functions = new Map([['x::y', toDetail('x::y')]])
  let whileAsked: (() => void) | undefined
  const directory = {
    list: async () => [...functions.values()].map(({ id, metadata }) => ({ id, metadata })),
    async describe(ids: readonly string[]) {
      const details = new Map([...functions].filter(([id]) => ids.includes(id)))
      whileAsked?.()
      return details
    },
  }
  const catalog = createCatalog({ directory, rules: () => rules, log, freshMs: 0, settleMs: 60_000 })
  const names = async () => (await catalog.entries(EVERYBODY)).map(({ name }) => name)
  await catalog.refresh()
  catalog.learn('x::y', undefined)
  expect(await names()).toEqual(['x__y'])
  functions.set('x::z', toDetail('x::z'))
  whileAsked = () => catalog.learn('x::y', undefined)
  await names()
  whileAsked = undefined
  expect(await names()).toEqual(['x__y', 'x__z'])
  whileAsked = () => catalog.learn('x::y', undefined)
  await catalog.refresh()
  whileAsked = undefined
  functions.delete('x::y')
  expect(await names()).toEqual(['x__z'])
  catalog.close()
})
