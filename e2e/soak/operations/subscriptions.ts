import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from '@iii/sdk'
import { type LiveReply, openSession, openSessionStream, postStateless } from '../../raw-client.ts'
import type { CallVerdict } from '../ledger.ts'
import type { Model } from '../model.ts'
import { type Operation, RIGHT, refused } from '../operation.ts'
import { registerSkill, toWritable } from './skills.ts'

const NEWS = 10
const HEARS_MS = 10_000
const LOOK_EVERY_MS = 50
const CHANGED = 'notifications/resources/list_changed'
let count = 0

/** Who listens, in either era, hears of a skill that is registered meanwhile. */
export function createListenOperation(mcpUrl: string, control: Worker, model: Model): Operation {
  const notifications = { resourcesListChanged: true }
  return {
    ...{ name: 'a stream of changes', weight: 1 },
    async run(client) {
      const isStateless = client.name.includes('2026')
      using stream = isStateless
        ? postStateless(mcpUrl, 'subscriptions/listen', { notifications })
        : openSessionStream(mcpUrl, await openSession(mcpUrl))
      const status = await stream.status
      if (status !== 200) return refused(`a stream of changes: HTTP ${status}`)
      if (isStateless && !(await hears(stream, ({ method }) => method !== undefined)))
        return refused('no stream of changes')
      const id = toWritable(model, `soak-news-${count++ % NEWS}`)
      const { outcome } = await registerSkill(control, model, id)
      if (outcome !== 'right') return refused('nothing was registered')
      return await judge(stream)
    },
  }
}

async function judge(stream: LiveReply): Promise<CallVerdict> {
  let isOver = false
  void stream.over.then(() => {
    isOver = true
  })
  if (
    await hears(
      stream,
      ({ method }) => method === CHANGED,
      () => isOver,
    )
  )
    return RIGHT
  return isOver
    ? refused('the stream of changes has ended')
    : refused(`nothing was heard of a change in ${HEARS_MS} ms`)
}

async function hears(
  { messages }: LiveReply,
  isIt: (message: LiveReply['messages'][number]) => boolean,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  const endsAt = performance.now() + HEARS_MS
  while (!messages.some(isIt)) {
    if (isOver() || performance.now() > endsAt) return false
    await pause(LOOK_EVERY_MS)
  }
  return true
}
