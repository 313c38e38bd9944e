import { isRecord, PROMPTS_ON_CHANGE, SKILLS_ON_CHANGE } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import type { Authentication } from '../auth/authentication.ts'
import type { Principal } from '../auth/principal.ts'
import type { McpCall } from '../mcp/call.ts'
import type { ReadyResult } from '../mcp/rpc.ts'
import type { McpPrompts } from '../prompts/index.ts'
import { type EngineResources, parseEngineUri } from '../resources/engine/index.ts'
import { createHearing, type HearingOptions } from '../resources/hearing.ts'
import type { McpResources } from '../resources/index.ts'
import { createSubscriptionShare } from '../resources/subscription-share.ts'
import { createSubscriptions, type Subscriptions } from '../resources/subscriptions.ts'
import type { Sessions } from '../sessions/index.ts'
import { type Announcements, CHANGES_SCOPE, serveAnnouncements } from './announcements.ts'
import { type Changes, createChanges } from './index.ts'
import { createLists, type ReadyLists } from './lists.ts'
import { createSubscriptionsListen, type SubscriptionsListen } from './subscriptions-listen.ts'
import { createTimelyLists } from './timely-lists.ts'
import { isHeld, type Viewer } from './viewer.ts'
import { toWatchedLists } from './watched-lists.ts'

/** All that tells clients of changes, put together. */
export interface Live {
  readonly changes: Changes
  readonly lists: ReadyLists
  readonly listening: SubscriptionsListen
  readonly subscriptions: Subscriptions
  close(): void
}

export interface LiveOptions extends HearingOptions {
  readonly worker: Worker
  readonly prompts: McpPrompts
  readonly resources: McpResources
  readonly engine: Pick<EngineResources, 'look'>
  /** What lists the tools, once it is there. */
  readonly tools: () => { list(call: McpCall): Promise<ReadyResult>; searches(principal: Principal): boolean }
  readonly catalog: { refresh(): Promise<void> }
  readonly auth: Pick<Authentication, 'follow' | 'limitsOf'>
  readonly sessions: Pick<Sessions, 'statesOf'>
  readonly engineTimeoutMs: number
}

/** Binds a function of this bridge's own to trigger types. */
export type Bind = (
  name: string,
  type: string,
  config: Record<string, unknown>,
  onEvent: (event: unknown) => void,
) => void

/** A registry that takes over what there is, or whose store is frozen for a moment, answers within so many times what the engine has to answer. */
const LOOKS = 4

export function createLive(options: LiveOptions): Live {
  const { resources, prompts, engine, tools, catalog, auth, sessions } = options
  const hasOwnTools = (viewer: Viewer) => isHeld(viewer) || tools().searches(viewer.principal)
  const changes = createChanges({
    render: toWatchedLists({ ...options, hasOwnTools }),
    renderOf: (uri) => (parseEngineUri(uri) === undefined ? undefined : ({ principal }) => engine.look(uri, principal)),
    mayHear: createHearing(options),
    hasOwnTools,
    refreshTools: catalog.refresh,
    isSilent: isOfTriggers,
  })
  const share = createSubscriptionShare({
    limitOf: (principal) => auth.limitsOf(principal).subscriptions,
    sessionsOf: sessions.statesOf,
  })
  const timely = createTimelyLists({
    log: options.worker.log,
    patienceMs: LOOKS * options.engineTimeoutMs,
    onWhole(kind) {
      lists.forget()
      changes.owed(kind)
    },
  })
  const lists = createLists({ resources, prompts, timely })
  const listening = createSubscriptionsListen({ changes, resources, share, follow: auth.follow })
  return {
    changes,
    lists,
    listening,
    subscriptions: createSubscriptions({ changes, resources, share }),
    close() {
      lists.close()
      listening.close()
      changes.close()
    },
  }
}

/** Puts on the engine what brings changes to a bridge. A trigger type that nobody provides yet is waited for. */
export function serveLive({ changes, lists }: Live, worker: Worker, bind: Bind, timeoutMs: number): Announcements {
  bind('on-skills-change', SKILLS_ON_CHANGE, {}, (event) => {
    lists.forget()
    const id = readRegistryChange(event, 'id')
    if (id !== undefined) changes.skillChanged(id)
  })
  bind('on-prompts-change', PROMPTS_ON_CHANGE, {}, (event) => {
    lists.forget()
    if (readRegistryChange(event, 'name') !== undefined) changes.promptChanged()
  })
  const announcements = serveAnnouncements({ worker, timeoutMs, onChange: changes.announced })
  bind('on-changes', 'state', { scope: CHANGES_SCOPE }, announcements.observe)
  return announcements
}

/** Workers and functions that come and go are events of the engine; triggers that do so alone are not. */
function isOfTriggers(uri: string): boolean {
  const address = parseEngineUri(uri)
  return address !== undefined && 'word' in address && address.word === 'triggers'
}

/**
 * What an on-change event of the registry is about. One that does not say whether the content changed counts as one that did: other
 * registries than ours say nothing of it.
 *
 * @param key the member that names the skill or prompt
 * @returns undefined for an event without a change, and for anything else
 */
function readRegistryChange(event: unknown, key: 'id' | 'name'): string | undefined {
  if (!isRecord(event) || event['changed'] === false) return undefined
  const name = event[key]
  return typeof name === 'string' ? name : undefined
}
