import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { requestOnce } from '../facts.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { until } from '../until.ts'
import { type RedisSide, type RedisStage, startRedisStage } from './stage.ts'

const FROZEN_MS = 3_000
const WITHIN = { deadlineMs: 20_000 }

let stage: RedisStage
let one: RedisSide
let two: RedisSide

beforeAll(async () => {
  const programs = inject('redis')
  if (programs === undefined) throw new Error('run it with pnpm test:redis')
  stage = await startRedisStage(programs)
  ;[one, two] = stage.sides
}, 120_000)
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Each skill has a file of its own. */
const register = ({ worker }: RedisSide, id: string, text = `of ${id}`) => {
  const payload = { id, skill: `# ${id}`, files: [{ path: 'notes/Note.txt', text }] }
  return worker.trigger({ function_id: 'skills::register', payload, timeoutMs: 10_000 })
}

/** What a client of the bridge gets at the address of that file. */
async function readFileOf({ mcpUrl }: RedisSide, id: string): Promise<string | undefined> {
  const read = await requestOnce(mcpUrl, 'resources/read', { uri: `skill://${id}/notes/Note.txt` })
  return (read as { contents: { text: string }[] } | undefined)?.contents[0]?.text
}

async function listIds({ worker }: RedisSide): Promise<string[]> {
  const { skills } = await worker.trigger<{ skills: { id: string }[] }>({ function_id: 'skills::list', payload: {} })
  return skills.map(({ id }) => id)
}

const listsAll = (side: RedisSide, ids: readonly string[]) =>
  until(
    async () => {
      const listed = await listIds(side).catch((): string[] => [])
      return ids.every((id) => listed.includes(id))
    },
    { what: `${ids.join(', ')} to be listed`, ...WITHIN },
  )

it('what a registry has acknowledged on one engine is in the next list on the other', async () => {
  for (let at = 0; at < 20; at++) {
    const [writer, reader] = at % 2 === 0 ? [one, two] : [two, one]
    await register(writer, `shared-${at}`)
    expect(await listIds(reader)).toContain(`shared-${at}`)
  }
})

it('files of a skill that one registry has acknowledged are read on the other engine, as they were last registered', async () => {
  for (let at = 0; at < 10; at++) {
    const [writer, reader] = at % 2 === 0 ? [one, two] : [two, one]
    await register(writer, 'filed', `round ${at}`)
    expect(await readFileOf(reader, 'filed')).toBe(`round ${at}`)
  }
})

it('a session that was opened on one engine goes on, on the other', async () => {
  const session = await openSession(one.mcpUrl)
  for (const { mcpUrl } of [two, one, two]) {
    const reply = postRequest(mcpUrl, session, 'ping')
    expect((await reply.over).at(-1)?.result).toEqual({})
    expect(await reply.status).toBe(200)
  }
})

it('after a restart of Redis everything that was acknowledged is there on both engines, and new skills can be registered', async () => {
  await register(one, 'before-restart')
  await stage.redis.restart()
  await until(
    () =>
      register(two, 'after-restart').then(
        () => true,
        () => false,
      ),
    { what: 'registering', ...WITHIN },
  )
  for (const side of [one, two]) {
    const ids = ['before-restart', 'after-restart', 'shared-0']
    await listsAll(side, ids)
    for (const id of ids) expect(await readFileOf(side, id)).toBe(`of ${id}`)
  }
})

it('while Redis is frozen no list is short, and afterwards both engines have everything', async () => {
  await register(one, 'before-freeze')
  stage.redis.signal('SIGSTOP')
  const lists = [one, two].map((side) => listIds(side).catch(() => undefined))
  await pause(FROZEN_MS)
  stage.redis.signal('SIGCONT')
  for (const listed of await Promise.all(lists)) if (listed !== undefined) expect(listed).toContain('before-freeze')
  await register(two, 'after-freeze')
  for (const side of [one, two]) await listsAll(side, ['before-freeze', 'after-freeze'])
})

it('when Redis is emptied the registries write back what they know, on both engines', async () => {
  await register(one, 'before-emptying')
  await listsAll(two, ['before-emptying'])
  await stage.redis.empty()
  const listFiles = ({ worker }: RedisSide) =>
    worker.trigger<{ id: string; text?: string }[]>({
      function_id: 'state::list',
      payload: { scope: 'skills::files' },
      timeoutMs: 10_000,
    })
  const isStored = async ({ worker }: RedisSide, key: string) => {
    const payload = { scope: 'skills', key }
    return (
      (await worker.trigger<{ skill?: string } | null>({ function_id: 'state::get', payload }))?.skill === `# ${key}`
    )
  }
  for (const key of ['before-emptying', 'after-freeze', 'shared-19']) {
    await until(() => isStored(one, key), { what: `${key} to be in Redis again`, ...WITHIN })
    expect(await isStored(two, key)).toBe(true)
    const isFileStored = async () => (await listFiles(two)).some((row) => row.id === key && row.text === `of ${key}`)
    await until(isFileStored, { what: `the file of ${key} to be in Redis again`, ...WITHIN })
    for (const side of [one, two]) expect(await readFileOf(side, key)).toBe(`of ${key}`)
  }
  for (const side of [one, two]) await listsAll(side, ['before-emptying', 'after-freeze', 'shared-19'])
})
