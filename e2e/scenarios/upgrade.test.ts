import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasNamespaces } from '../facts.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { askSteadily } from '../steady.ts'
import { until } from '../until.ts'

/** How long the function takes that clients call: some calls are under way whatever happens. */
const WORK_MS = 60

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  stack.worker.registerFunction('shop::sell', async () => {
    await pause(WORK_MS)
    return { sold: true }
  })
  await stack.worker.ready()
})
afterAll(() => cleanup.run())

/** What a proxy in front does: sends each request to one of the paths that it is told to use. */
function createBalancer() {
  const underWay = new Map<string, number>()
  const used: string[] = []
  let turn = 0
  return {
    async send<T>(ask: (url: string) => Promise<T>): Promise<T> {
      const url = used[turn++ % used.length] ?? ''
      underWay.set(url, (underWay.get(url) ?? 0) + 1)
      try {
        return await ask(url)
      } finally {
        underWay.set(url, (underWay.get(url) ?? 0) - 1)
      }
    },
    add: (url: string) => void used.push(url),
    /** Resolves when nothing of what was sent there is under way any more. */
    async leave(url: string) {
      used.splice(used.indexOf(url), 1)
      await until(() => underWay.get(url) === 0, { what: `requests to ${url} to be over` })
    },
  }
}

/** Starts a bridge; resolves when a probe finds that it serves. */
async function startAt(path: string): Promise<{ url: string; child: Child }> {
  const url = new URL(path, stack.mcpUrl).href
  const child = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--api-path', path])))
  const serves = async () => {
    const { status, body } = await sendHttp(`${url}/health`, {})
    return status === 200 && JSON.parse(body).status === 'ready'
  }
  await until(serves, { what: `the bridge at ${path} to be ready` })
  return { url, child }
}

/** A request of a session: by turns a list, and a call that takes its time. @returns what went wrong */
function createClient(identity: Readonly<Record<string, string>>) {
  let count = 0
  return async (url: string): Promise<string | undefined> => {
    const isCall = count++ % 2 === 0
    const reply = isCall
      ? postRequest(url, identity, 'tools/call', { name: 'shop__sell', arguments: {} })
      : postRequest(url, identity, 'tools/list')
    const message = (await reply.over).at(-1)
    const isGood = message?.result !== undefined && message.result['isError'] !== true
    return isGood ? undefined : `${await reply.status}: ${JSON.stringify(message)}`
  }
}

const failures = (asked: readonly { answer: string | undefined }[]) =>
  asked.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))

scenario(
  ['upgrade/rolling'],
  'of two bridges behind a balancer one after the other is replaced under load, and no request of a session fails',
  async () => {
    const balancer = createBalancer()
    const bridges = [await startAt('/one'), await startAt('/two')]
    for (const { url } of bridges) balancer.add(url)
    const ask = createClient(await openSession(bridges[0]?.url ?? ''))
    const steady = askSteadily(() => balancer.send(ask))
    for (const { url, child } of bridges) {
      await balancer.leave(url)
      child.signal('SIGTERM')
      expect(await child.exited).toMatchObject({ code: 0 })
      await startAt(new URL(url).pathname)
      balancer.add(url)
    }
    const asked = await steady.stop()
    expect(failures(asked)).toEqual([])
    expect(asked.length).toBeGreaterThan(20)
  },
)

scenario(
  ['upgrade/one-path'],
  'a second bridge on the same path comes, and the one that then stands by leaves, without one failed request',
  async () => {
    const { url, child } = await startAt('/same')
    const ask = createClient(await openSession(url))
    const steady = askSteadily(() => ask(url))
    const newer = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--api-path', '/same'])))
    // On engine 0.22 the newer one serves, so this is an upgrade; on 0.23 the older one does.
    const standing = (await hasNamespaces(stack.worker)) ? newer : child
    await standing.line(/this process stands by/)
    // What it took in before has to be over.
    await pause(5 * WORK_MS)
    standing.signal('SIGTERM')
    expect(await standing.exited).toMatchObject({ code: 0 })
    expect(await ask(url)).toBeUndefined()
    expect(failures(await steady.stop())).toEqual([])
  },
)
