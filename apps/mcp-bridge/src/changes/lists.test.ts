import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import type { McpCall } from '../mcp/call.ts'
import { type McpResult, readyMembers } from '../mcp/rpc.ts'
import { createLists } from './lists.ts'
import type { TimelyLists } from './timely-lists.ts'

const call = { principal: EVERYBODY, limits: { plainMs: 25_000 } } as McpCall
/** Nobody is silent here. */
const timely: TimelyLists = { toTimely: (_, whole) => whole, close: () => undefined }

function counted() {
  let rows = ['a']
  let asked = 0
  let failure: Error | undefined
  const list = async () => {
    asked += 1
    const seen = [...rows]
    await Promise.resolve()
    if (failure !== undefined) throw failure
    return { resources: seen }
  }
  return {
    list,
    add: (row: string) => {
      rows = [...rows, row]
    },
    fail: (error: Error | undefined) => {
      failure = error
    },
    asked: () => asked,
  }
}

function open(freshMs?: number) {
  const source = counted()
  const prompts = { list: () => Promise.resolve({ prompts: [] }) }
  const resources = {
    list: source.list,
    templates: () => Promise.resolve({ resourceTemplates: [] }),
    brief: () => Promise.resolve(''),
  }
  // Rows are nothing to it.
  const lists = createLists({
    resources: resources as never,
    prompts: prompts as never,
    timely,
    ...(freshMs === undefined ? {} : { freshMs }),
  })
  const read = async () => JSON.parse(`{${readyMembers((await lists.resources(call)) as McpResult) ?? ''}}`) as unknown
  return { source, lists, read }
}

describe('a list', () => {
  it('is made once for all who ask, and is the same bytes', async () => {
    const { source, lists } = open()
    const [first, second] = await Promise.all([lists.resources(call), lists.resources(call)])
    expect(second).toBe(first)
    expect(await lists.resources(call)).toBe(first)
    expect(source.asked()).toBe(1)
  })

  it('is made anew when something may have changed, also while it is being made', async () => {
    const { source, lists, read } = open()
    const early = read()
    source.add('b')
    lists.forget()
    expect(await read()).toEqual({ resources: ['a', 'b'] })
    expect(await early).toEqual({ resources: ['a'] })
    expect(await read()).toEqual({ resources: ['a', 'b'] })
  })

  it('is made anew when it is old, for what is no event', async () => {
    const { source, read } = open(-1)
    await read()
    source.add('b')
    expect(await read()).toEqual({ resources: ['a', 'b'] })
  })

  it('that cannot be made is an error to whoever waits, and made anew for the next', async () => {
    const { source, read } = open()
    source.fail(new Error('the registry is away'))
    await expect(read()).rejects.toThrow('the registry is away')
    source.fail(undefined)
    expect(await read()).toEqual({ resources: ['a'] })
  })
})
