import {
  type LiveReply,
  openSession,
  openSessionStream,
  postRequest,
  postStateless,
  type SentMessage,
} from './raw-client.ts'
import type { Bearer } from './token-file.ts'
import { until } from './until.ts'

/** What one caller listens on: the streams of a session of each older revision, and a subscription of 2026-07-28. */
export interface OwnStreams extends Disposable {
  readonly all: readonly LiveReply[]
  /** What each of them was told by now, but that it is there: methods, with addresses. */
  told(): string[][]
  /** Waits until each of them was told this. */
  hear(told: string): Promise<void>
}

const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** Opens them; they are there when this resolves. @param uris of which addresses they hear */
export async function openOwnStreams(url: string, { headers }: Bearer, uris: readonly string[]): Promise<OwnStreams> {
  const all: LiveReply[] = []
  for (const revision of ['2025-06-18', '2025-11-25']) {
    const session = await openSession(url, {}, revision, headers)
    for (const uri of uris) await postRequest(url, session, 'resources/subscribe', { uri }).over
    all.push(openSessionStream(url, session))
  }
  const notifications = { ...LISTS, resourceSubscriptions: uris }
  const listening = postStateless(url, 'subscriptions/listen', { notifications }, {}, headers)
  all.push(listening)
  await Promise.all(all.map(({ status }) => status))
  await until(() => listening.messages[0], { what: 'the acknowledgement' })
  const told = () => all.map(({ messages }) => messages.flatMap(toTold))
  return {
    all,
    told,
    hear: async (what) => void (await until(() => told().every((each) => each.includes(what)), { what })),
    [Symbol.dispose]: () => {
      for (const stream of all) stream.leave()
    },
  }
}

function toTold({ method, params }: SentMessage): string[] {
  if (method === undefined || method === 'notifications/subscriptions/acknowledged') return []
  const uri = params?.['uri']
  return [method.replace('notifications/', '') + (uri === undefined ? '' : ` ${uri}`)]
}
