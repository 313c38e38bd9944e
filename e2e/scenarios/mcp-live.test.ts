import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type LiveReply, openSession, openSessionStream, postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
/** A GET stream and a subscription of 2026-07-28. */
let listeners: readonly LiveReply[]

const SUBSCRIBED = ['iii://live', 'note://live']

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  const { worker, mcpUrl } = stack
  const note = { uri: 'note://live', name: 'live' }
  worker.registerFunction('live::note', () => 'a note', { metadata: { mcp: { resource: note } } })
  await until(() => hasFunctions(worker, ['live::note']), { what: 'the function to be there' })
  await register('# Live')
  const session = await openSession(mcpUrl)
  for (const uri of SUBSCRIBED) {
    const subscribe = () => postRequest(mcpUrl, session, 'resources/subscribe', { uri }).over
    await until(async () => (await subscribe())[0]?.result !== undefined, { what: `${uri} to be there` })
  }
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const notifications = { ...lists, resourceSubscriptions: SUBSCRIBED }
  listeners = [openSessionStream(mcpUrl, session), postStateless(mcpUrl, 'subscriptions/listen', { notifications })]
  await until(() => listeners[1]?.messages[0]?.method === 'notifications/subscriptions/acknowledged', {
    what: 'the acknowledgement',
  })
  // What preceded is told by the time that this is.
  await until(
    async () => {
      await announce({ kind: 'tools' })
      return listeners.every((listener) => toldBy(listener).includes('tools/list_changed'))
    },
    { what: 'both to listen' },
  )
})
afterAll(async () => {
  for (const listener of listeners ?? []) listener.leave()
  await cleanup.run()
})

const trigger = (function_id: string, payload: object) => stack.worker.trigger({ function_id, payload })
const register = (skill: string) => trigger('skills::register', { id: 'live', skill })
const announce = (change: object) => trigger('mcp::changed', change)

function toldBy({ messages }: LiveReply, from = 0): string[] {
  const told = messages.slice(from).filter(({ method }) => method !== 'notifications/subscriptions/acknowledged')
  return told.map(({ method = '', params }) =>
    [method.replace('notifications/', ''), params?.['uri']].filter((part) => part !== undefined).join(' '),
  )
}

/** What both hear of a change up to a last word that is announced after it, and how long the first of it took. */
async function hear(change: () => Promise<unknown>, expected: string): Promise<{ told: string[][]; ms: number }> {
  const from = listeners.map(({ messages }) => messages.length)
  const since = (index: number, listener: LiveReply) => toldBy(listener, from[index])
  await change()
  const startedAt = performance.now()
  await until(() => listeners.every((listener, index) => since(index, listener).includes(expected)), { what: expected })
  const ms = performance.now() - startedAt
  const last = 'resources/updated note://live'
  if (expected !== last) {
    await announce({ kind: 'resource', uri: 'note://live' })
    await until(() => listeners.every((listener, index) => since(index, listener).includes(last)), { what: last })
  }
  return { told: listeners.map((listener, index) => since(index, listener)), ms }
}

const changes = [
  [
    'a new skill',
    (n: number) => trigger('skills::register', { id: `other-${n}`, skill: '# Other' }),
    'resources/list_changed',
  ],
  ['another text', (n: number) => register(`# Live\n\n${n}`), 'resources/updated iii://live'],
  [
    'a prompt',
    (n: number) => trigger('prompts::register', { name: `live-${n}`, description: 'd', function_id: 'live::note' }),
    'prompts/list_changed',
  ],
  ['an announcement', () => announce({ kind: 'resource', uri: 'note://live' }), 'resources/updated note://live'],
] as const
/** A machine that does much else is not what is measured: the best of so many counts. */
const ATTEMPTS = 5
for (const [what, change, expected] of changes) {
  scenario(['live/second'], `${what} is told within a second`, async () => {
    let best = Number.POSITIVE_INFINITY
    for (let n = 0; n < ATTEMPTS && best >= 1000; n += 1) {
      const { ms } = await hear(() => change(n), expected)
      best = Math.min(best, ms)
    }
    expect(best).toBeLessThan(1000)
  })
}

scenario(['live/once'], 'fifty functions are told once, and again when they are gone', async () => {
  const ids = Array.from({ length: 50 }, (_, at) => `burst::f${at}`)
  const offered = new Set<{ unregister(): void }>()
  const come = async () => ids.map((id) => offered.add(stack.worker.registerFunction(id, () => id)))
  const go = async () => [...offered].map((one) => one.unregister())
  for (const change of [come, go]) {
    const { told } = await hear(change, 'tools/list_changed')
    for (const one of told) expect(one.filter((word) => word === 'tools/list_changed')).toHaveLength(1)
  }
})

scenario(['live/once'], 'what changes nothing is not told', async () => {
  const last = 'resources/updated note://live'
  const note = () => announce({ kind: 'resource', uri: 'note://live' })
  await hear(() => register('# The same'), 'resources/updated iii://live')
  // Lists that this changes are told a moment later.
  const isQuiet = async () => (await hear(note, last)).told.every((words) => words.length === 1)
  await until(isQuiet, { what: 'nothing more to be told' })
  const nothing = async () => {
    await register('# The same')
    await announce({ kind: 'resource', uri: 'note://nobody-listens' })
    await note()
  }
  const { told } = await hear(nothing, last)
  expect(told).toEqual([[last], [last]])
})
