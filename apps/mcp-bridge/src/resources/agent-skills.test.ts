import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, Fault, skillsFunctions } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const [ONE, OTHER, ALL] = [createToken(), createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const auth = AuthBlock.parse({
  tokens: [
    { name: 'one', hash: [toDigest(ONE)], grant: 'one' },
    { name: 'other', hash: [toDigest(OTHER)], grant: 'other' },
    { name: 'all', hash: [toDigest(ALL)], grant: 'all' },
  ],
  grants: { one: { skills: ['orders'] }, other: { skills: ['billing'] }, all: {} },
})

const NOT_OF_THIS_LIST = { code: -32602, message: expect.stringMatching(/'cursor' must be the nextCursor/) }

/** A bridge with a registry that always has one more page, and tells what it was asked. */
async function startStage() {
  const engine = await startMockEngine()
  const bridge = await startBridge(engine, { options: { auth } })
  const asked: object[] = []
  const serve = (id: string, answer: (payload: object) => unknown) =>
    bridge.other.registerFunction(id, (payload: object) => {
      asked.push(payload)
      return answer(payload)
    })
  const { list, get, directory } = agentSkillsFunctions
  serve(list.id, () => ({ skills: [], after: 'orders' }))
  serve(directory.id, () => ({ resources: [], after: 'a.txt' }))
  serve(get.id, (payload) => {
    if (JSON.stringify(payload).includes('odd')) return 'odd'
    throw JSON.stringify(payload).includes('none') ? new Fault('not_found', 'No skill') : new Error('broken')
  })
  await bridge.other.ready()
  return {
    asked,
    serve,
    other: bridge.other,
    ask: async (method: string, params: object, token = ONE) => {
      const { result, error } = (await bridge.rpc(method, params, as(token))).message
      return (result ?? error) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

describe('pages of skills', () => {
  it('go on with a cursor of the same list for the same reader, and with no other', async () => {
    await using stage = await startStage()
    const first = await stage.ask('skills/list', {})
    const { nextCursor: cursor } = first
    for (const none of [null, '']) {
      expect(await stage.ask('skills/list', { cursor: none })).toMatchObject({ skills: first['skills'] })
    }
    expect(await stage.ask('skills/list', { cursor })).toMatchObject({
      skills: [],
      ttlMs: 5_000,
      cacheScope: 'private',
    })
    expect(stage.asked.at(-1)).toEqual({ after: 'orders', prefixes: ['orders'] })
    const before = stage.asked.length
    for (const token of [OTHER, ALL])
      expect(await stage.ask('skills/list', { cursor }, token)).toMatchObject(NOT_OF_THIS_LIST)
    const uri = 'skill://orders'
    expect(await stage.ask('resources/directory/read', { uri, cursor })).toMatchObject(NOT_OF_THIS_LIST)
    expect(await stage.ask('skills/list', { cursor: `${cursor}x` })).toMatchObject(NOT_OF_THIS_LIST)
    expect(stage.asked).toHaveLength(before)
  })

  it('of a directory go on in that directory alone', async () => {
    await using stage = await startStage()
    const read = (uri: string, cursor?: unknown) =>
      stage.ask('resources/directory/read', { uri, ...(cursor ? { cursor } : {}) })
    const { nextCursor } = await read('skill://orders')
    expect(await read('skill://orders', nextCursor)).toMatchObject({ resources: [] })
    expect(stage.asked.at(-1)).toEqual({ uri: 'skill://orders', after: 'a.txt', prefixes: ['orders'] })
    expect(await read('skill://orders/scripts', nextCursor)).toMatchObject(NOT_OF_THIS_LIST)
    expect(await stage.ask('skills/list', { cursor: nextCursor })).toMatchObject(NOT_OF_THIS_LIST)
  })
})

describe('a list of resources', () => {
  it('has the files of skills that the reader may read by their ids, which addresses do not tell', async () => {
    await using stage = await startStage()
    const toRow = (path: string, id: string) => ({
      uri: `skill://${path}/SKILL.md`,
      name: path,
      skill: id,
    })
    const resources = [
      toRow('orders/a-b', 'orders/a_b'),
      toRow('orders', 'or_ders'),
      toRow('bill-ing', 'bill_ing'),
      { uri: 'skill://orders/c/SKILL.md', name: 'of a registry that does not say' },
    ]
    stage.serve(skillsFunctions.resourcesList.id, () => ({ resources }))
    await stage.other.ready()
    const shown = async (token: string) => {
      const { resources: rows } = (await stage.ask('resources/list', {}, token)) as { resources: { uri: string }[] }
      expect(rows.filter((row) => 'skill' in row)).toEqual([])
      return rows.map(({ uri }) => uri).filter((uri) => uri.startsWith('skill://'))
    }
    await untilAnswer(
      () => shown(ALL),
      (uris) => uris.length === resources.length,
    )
    expect(await shown(ONE)).toEqual(['skill://orders/a-b/SKILL.md', 'skill://orders/c/SKILL.md'])
    expect(await shown(OTHER)).toEqual([])
  })
})

describe('a skill that is asked for', () => {
  it('is an invalid parameter where there is none, and an internal error where the registry fails', async () => {
    await using stage = await startStage()
    const code = async (uri: unknown) => (await stage.ask('skills/get', { uri }))['code']
    expect(await code('skill://none/SKILL.md')).toBe(-32602)
    expect(await code('skill://odd/SKILL.md')).toBe(-32603)
    expect(await code('skill://broken/SKILL.md')).toBe(-32603)
    for (const uri of [undefined, '', 7]) expect(await code(uri)).toBe(-32602)
  })
})

describe('the instructions', () => {
  it('carry the index of what the reader may read, asked for once for all who read the same', async () => {
    await using stage = await startStage()
    const indexes = new Map([
      ['{"prefixes":["orders"]}', 'The skills:\n- iii://orders'],
      ['{"prefixes":["billing"]}', 'The skills:\n- iii://billing'],
    ])
    stage.serve(agentSkillsFunctions.brief.id, (payload) => ({ text: indexes.get(JSON.stringify(payload)) ?? 'All' }))
    stage.other.registerFunction('skill::fetch', () => '', { metadata: { 'mcp.expose': true } })
    await stage.other.ready()
    const told = async (token: string) => String((await stage.ask('initialize', {}, token))['instructions'])
    await untilAnswer(
      () => told(ONE),
      (text) => text.endsWith('.\n\nThe skills:\n- iii://orders'),
    )
    expect(await told(OTHER)).toMatch(/\.\n\nThe skills:\n- iii:\/\/billing$/)
    expect(await told(ALL)).toMatch(/\.\n\nAll$/)
    const before = stage.asked.length
    await Promise.all(Array.from({ length: 20 }, () => told(ONE)))
    expect(stage.asked.length - before).toBeLessThanOrEqual(1)
  })
})
