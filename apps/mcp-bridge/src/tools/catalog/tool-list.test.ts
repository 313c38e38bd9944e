import type { Logger } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { toAccess } from '../../auth/decision.ts'
import { EVERYBODY } from '../../auth/principal.ts'
import { readyMembers } from '../../mcp/rpc.ts'
import { toHolder } from '../../testing/principals.ts'
import { untilAnswer } from '../../testing/until.ts'
import { createHeldLists, type HeldLists } from './held-lists.ts'
import { createReport } from './report.ts'
import type { ToolEntry } from './tool-entry.ts'
import { createToolList } from './tool-list.ts'

/** For clients that follow references, and for those that do not. */
function inBoth(json: string): ToolEntry['json'] {
  return { inlined: json, shared: json }
}

function toEntry(functionId: string, own: Partial<ToolEntry> = {}): ToolEntry {
  const name = functionId.replaceAll('::', '__')
  return {
    name,
    functionId,
    json: inBoth(`"${name}"`),
    hasOutputSchema: false,
    problems: [],
    pinned: false,
    headers: [],
    access: toAccess(functionId, undefined),
    declared: undefined,
    ...own,
  }
}

function start(maxTools?: number, lists?: HeldLists) {
  const told: unknown[] = []
  const report = {
    problems: () => undefined,
    loser: (loser: ToolEntry, winner: ToolEntry) => told.push([loser.functionId, winner.functionId]),
    leftOut: (entries: readonly ToolEntry[]) => told.push(entries.length),
  }
  const tools = createToolList({
    report: report as never,
    maxTools,
    lists,
    onChange: () => told.push('changed'),
    onDeclaredChange: () => told.push('declared'),
  })
  const view = () => tools.of(EVERYBODY)
  const members = () => {
    const ready = view()?.ready
    return ready && readyMembers(ready.inlined)
  }
  return { tools, told, view, members }
}

describe('a list of tools', () => {
  it('leaves out the largest tools where a reply has no room for all, and says how many', () => {
    const { tools, told, view, members } = start()
    const toLarge = (id: string, megabytes: number) =>
      toEntry(id, { json: inBoth(`"${'x'.repeat(megabytes * 1024 * 1024)}"`) })
    tools.render([toEntry('a'), toLarge('b', 9), toLarge('c', 8), toLarge('d', 6), toEntry('e')])
    expect(told).toEqual([1])
    expect(members()?.length).toBeGreaterThan(14 * 1024 * 1024)
    expect(members()).toMatch(/^"tools":\["a","x+","x+","e"\]$/)
    expect(view()?.find('b')?.functionId).toBe('b')
    const held = tools.of(toHolder('ci'))?.ready
    expect(held && readyMembers(held.shared)).toBe(members())
  })

  it('names the largest of those that it leaves out in the log, in one line', () => {
    const told: unknown[] = []
    const log = { warn: (fields: object) => told.push(fields) } as unknown as Logger
    const tools = createToolList({ report: createReport(log), maxTools: 1 })
    const entries = Array.from({ length: 9 }, (_, at) =>
      toEntry(`shop::f${at}`, { json: inBoth(`"${'x'.repeat(at)}"`) }),
    )
    tools.render(entries)
    const largest = ['shop::f8', 'shop::f7', 'shop::f6', 'shop::f5', 'shop::f4']
    expect(told).toEqual([{ left_out: 8, largest }])
  })

  it('holds so many and says how many more there are, which can be called all the same', () => {
    const { tools, told, view, members } = start(2)
    tools.render(['c', 'a', 'b'].map((id) => toEntry(id)))
    expect([members(), told]).toEqual(['"tools":["a","b"]', [1]])
    expect(view()?.find('c')?.functionId).toBe('c')
  })

  it('tells of a skill those who may read it, and tells when the skill is another', () => {
    const { tools, told, members } = start()
    const [reader, other] = [toHolder('a', { skills: ['orders'] }), toHolder('b', { skills: ['billing'] })]
    tools.render([toEntry('a', { json: inBoth('{"name":"a"}'), skill: 'orders/refunds' })])
    const linked = '"tools":[{"name":"a","_meta":{"iii/skill":"iii://orders/refunds"}}]'
    const listed = [reader, other].map((principal) => tools.of(principal)?.ready.inlined)
    expect([members(), ...listed.map((ready) => ready && readyMembers(ready))]).toEqual([
      linked,
      linked,
      '"tools":[{"name":"a"}]',
    ])
    tools.render([toEntry('a', { json: inBoth('{"name":"a"}') })])
    expect([members(), told.at(-1)]).toEqual(['"tools":[{"name":"a"}]', 'changed'])
  })

  it('stays the very same while its bytes do, and tells when they change', () => {
    const { tools, told, view } = start()
    tools.render([toEntry('a')])
    const first = view()?.ready
    tools.render([toEntry('a')])
    expect([view()?.ready === first, told]).toEqual([true, [0, 0]])
    tools.render([toEntry('a'), toEntry('b')])
    expect([view()?.ready === first, told.at(-1)]).toEqual([false, 'changed'])
  })

  it('is made once for all that is learned until somebody looks, and without anybody who looks', async () => {
    const { tools, told, members } = start()
    let made = 0
    const entries = [toEntry('a')]
    const read = () => {
      made += 1
      return entries
    }
    tools.render(entries)
    for (const id of ['b', 'c', 'd']) {
      entries.push(toEntry(id))
      tools.renew(read)
    }
    expect([made, told.includes('changed')]).toEqual([0, false])
    expect([members(), members(), made]).toEqual([members(), '"tools":["a","b","c","d"]', 1])
    expect(told.filter((each) => each === 'changed')).toHaveLength(1)
    entries.pop()
    tools.renew(read)
    const changes = () => told.filter((each) => each === 'changed').length
    expect(await untilAnswer(changes, (count) => count > 1)).toBe(2)
  })

  it('is ready bytes for sixty-four different rights at a time, and for whoever has the same', () => {
    const { tools } = start()
    tools.render([toEntry('a'), toEntry('b')])
    const holder = (at: number, name: string) => toHolder(`${name}-${at}`, { scopes: [`orders:${at}`] })
    const listOf = (at: number, name = 'one') => tools.of(holder(at, name))?.ready.inlined
    const lists = Array.from({ length: 64 }, (_, at) => listOf(at))
    expect(lists.map((list, at) => list !== undefined && list === listOf(at, 'another'))).toEqual(lists.map(() => true))
    listOf(64)
    expect([listOf(63) === lists[63], listOf(1) === lists[1], listOf(0) === lists[0]]).toEqual([true, true, false])
  })

  it('is kept for nobody whose rights have given their place to others', () => {
    const lists = createHeldLists()
    const asked = new Set<object>()
    const get: HeldLists['get'] = (view, make) => {
      asked.add(view)
      return lists.get(view, make)
    }
    const { tools } = start(undefined, { ...lists, get })
    tools.render([toEntry('a')])
    for (let at = 0; at < 100; at += 1) void tools.of(toHolder('one', { scopes: [`orders:${at}`] }))?.ready
    expect([asked.size, [...asked].filter(lists.has).length]).toEqual([100, 64])
  })

  it('is ready bytes for fewer rights where the lists are long, and never for none', () => {
    const json = JSON.stringify('x'.repeat(40))
    const { tools } = start(undefined, createHeldLists(120))
    const listOf = (at: number) => tools.of(toHolder(`one-${at}`, { scopes: [`orders:${at}`] }))?.ready.inlined
    tools.render([toEntry('a', { json: inBoth(json) })])
    const lists = [0, 1, 2].map(listOf)
    expect([listOf(2) === lists[2], listOf(1) === lists[1], listOf(0) === lists[0]]).toEqual([true, true, false])
    expect(listOf(1)).toEqual(lists[1])
    const long = JSON.stringify('x'.repeat(400))
    tools.render([toEntry('a', { json: inBoth(long) })])
    expect(listOf(1)).toBe(listOf(1))
  })

  it('has for whoever sees some of all what is in it for these alone, also where several have one name', () => {
    const { tools } = start()
    const [open, closed] = [toAccess('x', undefined), toAccess('x', { mcp: { scopes: ['secret'] } })]
    const declare = (functionId: string) => ({
      functionId,
      description: undefined,
      resource: { uri: functionId, name: 'A' },
    })
    const entries = [
      toEntry('b', { access: open, declared: declare('b') }),
      toEntry('a', { access: closed, declared: declare('a') }),
      toEntry('c', { access: open }),
    ]
    const see = () => {
      const view = tools.of(toHolder('one', { scopes: ['orders'] }))
      const found = ['a', 'b', 'c', 'd'].map((name) => view?.find(name)?.functionId)
      return [view?.entries.map(({ name }) => name), [...(view?.names() ?? [])], found, view?.declared]
    }
    tools.render(entries)
    const rest = [
      ['b', 'c'],
      ['b', 'c'],
    ]
    expect(see()).toEqual([...rest, [undefined, 'b', 'c', undefined], [declare('b')]])
    tools.render([...entries, toEntry('z', { name: 'a', access: open })])
    const more = ['a', 'b', 'c']
    expect(see().map((each, at) => (at === 1 ? [...(each as string[])].sort() : each))).toEqual([
      more,
      more,
      ['z', 'b', 'c', undefined],
      [declare('b')],
    ])
  })

  it('is another one for clients that follow references, where there is something to share', () => {
    const { tools, view } = start()
    tools.render([toEntry('a')])
    expect(view()?.ready?.shared).toBe(view()?.ready?.inlined)
    tools.render([toEntry('a'), toEntry('b', { json: { inlined: '"b"', shared: '"shared"' } })])
    const [inlined, shared] = [view()?.ready?.inlined, view()?.ready?.shared].map(
      (ready) => ready && readyMembers(ready),
    )
    expect([inlined, shared]).toEqual(['"tools":["a","b"]', '"tools":["a","shared"]'])
  })

  it('keeps what functions declare until that is another, and tells', () => {
    const { tools, told, view } = start()
    const declare = (name: string) => ({ functionId: 'a', description: undefined, resource: { uri: 'test://a', name } })
    tools.render([toEntry('a', { declared: declare('A') })])
    const first = view()?.declared
    tools.render([toEntry('a', { declared: declare('A') })])
    expect([view()?.declared === first, told.includes('declared')]).toEqual([true, false])
    tools.render([toEntry('a', { declared: declare('B') })])
    expect([view()?.declared, told.includes('declared')]).toEqual([[declare('B')], true])
  })
})
