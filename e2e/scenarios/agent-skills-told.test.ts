import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import type { ClientKind } from '../clients.ts'
import { type ClientHost, connectHost } from '../hosts.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

const KINDS = ['client 2.x', 'client 2.x on 2026-07-28'] as const satisfies readonly ClientKind[]
const WAYS = ['HTTP', 'stdio'].flatMap((transport) => KINDS.map((kind) => ({ transport, kind })))

const LIST = 'notifications/resources/list_changed'

/** What a host has heard: addresses that were updated, and that the list changed. */
const toNews = ({ heard }: ClientHost) =>
  heard.flatMap(({ method, params }) => {
    if (method === LIST) return ['list']
    return method === 'notifications/resources/updated' ? [String(params?.['uri'])] : []
  })

/** Two skills whose ids begin alike, each with a file, and who has subscribed to the file of the one or the other. */
async function startPair({ transport, kind }: (typeof WAYS)[number]) {
  const { use, run } = createCleanup()
  const words = `${transport} ${kind.includes('2026') ? 'now' : 'session'}`.toLowerCase().replaceAll(' ', '-')
  const ids = [`told-${words}`, `told-${words}-other`] as const
  const write = (id: string, text: string, description = 'Described.', body = '') => {
    const skill = `---\nname: ${id}\ndescription: ${description}\n---\n${body}`
    const payload = { id, skill, files: [{ path: 'notes.txt', text }] }
    return stack.worker.trigger({ function_id: 'skills::register', payload })
  }
  for (const id of ids) await write(id, 'first')
  const toUri = (id: string) => `skill://${id}/notes.txt`
  const connect = async (id: string) => {
    const host = use(await connectHost(kind, transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl)))
    await host.watch(toUri(id))
    // A bridge that has just come up may learn of the first changes before it tells of any.
    let round = 0
    const hears = async () => {
      round += 1
      await write(id, `round ${round}`)
      return toNews(host).includes(toUri(id))
    }
    await until(hears, { what: `news of ${id}` })
    return host
  }
  const hosts = [await connect(ids[0]), await connect(ids[1])] as const
  return { ids, uris: [toUri(ids[0]), toUri(ids[1])] as const, hosts, write, [Symbol.asyncDispose]: run }
}

type Pair = Awaited<ReturnType<typeof startPair>>

/** News of the one file reach its subscriber, and never that of the other. */
async function expectToldApart(pair: Pair): Promise<void> {
  const [one, other] = pair.hosts
  for (const text of ['a', 'b', 'c']) {
    const count = toNews(one).length
    await pair.write(pair.ids[0], text)
    await until(() => toNews(one).slice(count).includes(pair.uris[0]), { what: 'the news' })
    expect((await one.read(pair.uris[0]))[0]?.text).toBe(text)
  }
  // What is told comes in its order: the next news of the other one is that of its own file.
  const count = toNews(other).length
  await pair.write(pair.ids[1], 'last')
  await until(() => toNews(other).slice(count).includes(pair.uris[1]), { what: 'the news of the other file' })
  expect(toNews(other)).not.toContain(pair.uris[0])
  expect(toNews(one)).not.toContain(pair.uris[1])
}

/** Another text is no news of the list, and another description is. */
async function expectListTold(pair: Pair): Promise<void> {
  const [one] = pair.hosts
  const countLists = () => pair.hosts.map((host) => toNews(host).filter((news) => news === 'list').length)
  const change = async (description: string, body: string) => {
    const count = toNews(one).length
    await pair.write(pair.ids[0], 'text', description, body)
    await until(() => toNews(one).slice(count).includes(pair.uris[0]), { what: 'the news of another text' })
  }
  // The news that the two skills came may be late.
  let round = 0
  const isQuiet = async () => {
    const before = countLists()
    round += 1
    for (const turn of ['once', 'twice']) await change('Described.', `Changed ${turn} in round ${round}.\n`)
    return countLists().join() === before.join()
  }
  await until(isQuiet, { what: 'a text to change without news of the list' })
  const before = countLists()
  await change('Described anew.', 'The same.\n')
  const isTold = () => countLists().every((count, at) => count > (before[at] ?? 0))
  await until(isTold, { what: 'the news of another description' })
}

for (const way of WAYS) {
  scenario(
    ['skills/changes'],
    `a changed file is told to its subscriber and not to that of another skill's, and a description to all: ${way.transport}, ${way.kind}`,
    async () => {
      await using pair = await startPair(way)
      await expectToldApart(pair)
      await expectListTold(pair)
    },
  )
}
