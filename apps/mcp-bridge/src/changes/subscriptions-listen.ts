import { isRecord, type JsonObject, MAX_URI_LENGTH } from '@iii/protocol'
import { within } from '@iii/sdk'
import type { SubscriptionsListenResult } from '@modelcontextprotocol/server'
import type { ExpiryWatch } from '../auth/expiry-watch.ts'
import { type ListKind, type McpCall, UNREACHABLE } from '../mcp/call.ts'
import type { Params, ToClient } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError } from '../mcp/rpc.ts'
import { toOneSpelling } from '../resources/declared/table.ts'
import type { McpResources } from '../resources/index.ts'
import type { SubscriptionShare } from '../resources/subscription-share.ts'
import { MAX_SUBSCRIPTIONS } from '../sessions/settings.ts'
import { requireExtension } from '../tasks/extension.ts'
import type { Changes } from './index.ts'
import { createNotificationOutbox } from './outbox.ts'

/** `subscriptions/listen` of 2026-07-28: a reply that goes on until its client leaves, with what changes meanwhile. */
export interface SubscriptionsListen {
  listen(params: Params<'subscriptions/listen'>, call: McpCall): Promise<SubscriptionsListenResult>
  /** Ends what is open, with the result that says so. */
  close(): void
}

export interface SubscriptionsListenOptions {
  readonly changes: Pick<Changes, 'watch' | 'ready'>
  readonly resources: Pick<McpResources, 'isReadable'>
  readonly follow: ExpiryWatch['follow']
  readonly share: Pick<SubscriptionShare, 'take'>
  /** Open at once. @default 1024 */
  readonly atOnce?: number
}

/** What a client wants to hear of. */
interface Filter {
  readonly kinds: ReadonlySet<ListKind>
  readonly uris: ReadonlySet<string>
}

/** More would keep the engine from the questions of others. */
const CHECKED_AT_ONCE = 64
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const MEMBERS: Readonly<Record<ListKind, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}
const KINDS = Object.keys(MEMBERS) as ListKind[]

export function createSubscriptionsListen({
  changes,
  resources,
  follow,
  share,
  atOnce = 1_024,
}: SubscriptionsListenOptions): SubscriptionsListen {
  const endings = new Set<() => void>()
  let count = 0

  /** What is no address of ours, or hidden, or not known in time, is left out: the acknowledgement says what is left. */
  async function honour({ kinds, uris }: Filter, call: McpCall): Promise<Filter> {
    const readable = new Set<string>()
    const waiting = uris.values()
    let isLate = false
    async function checkSome(): Promise<void> {
      for (const uri of waiting) {
        if (await resources.isReadable(uri, call)) readable.add(uri)
        if (isLate || call.signal.aborted) return
      }
    }
    await within(call.limits.plainMs, Promise.all(Array.from({ length: CHECKED_AT_ONCE }, checkSome)))
    isLate = true
    if (call.signal.aborted) throw unheard(call)
    return { kinds, uris: new Set([...uris].filter((uri) => readable.has(uri))) }
  }

  async function stayOpen(call: McpCall, filter: Filter): Promise<SubscriptionsListenResult> {
    const _meta = { [SUBSCRIPTION_ID]: call.id }
    const send = (...[method, params]: ToClient) => call.reach.notify(...([method, { ...params, _meta }] as ToClient))
    const before: ToClient[] = []
    const outbox = createNotificationOutbox(send)
    let tell = (...told: ToClient): void => {
      before.push(told)
    }
    const { principal, attached } = call
    const leave = changes.watch({
      who: () => ({ principal, attached }),
      wants: (kind) => filter.kinds.has(kind),
      isSubscribed: (uri) => filter.uris.has(uri),
      addresses: () => filter.uris,
      tell: (...told) => tell(...told),
    })
    try {
      await changes.ready()
      const notifications = formatFilter(filter)
      if (!(await send('notifications/subscriptions/acknowledged', { notifications }))) throw unheard(call)
      tell = outbox.add
      for (const told of before) tell(...told)
      await untilOver(call, endings, follow)
      return { _meta }
    } finally {
      leave()
    }
  }

  return {
    async listen(params, call) {
      const asked = readFilter(params, call)
      if (count >= atOnce) {
        throw new RpcError(RPC.overloaded, `Too many subscriptions: this server keeps ${atOnce} open; try again later`)
      }
      const giveBack = share.take(asked.uris.size, call.principal)
      count += 1
      try {
        return await stayOpen(call, await honour(asked, call))
      } finally {
        count -= 1
        giveBack()
      }
    },
    close() {
      for (const end of endings) end()
    },
  }
}

/** Until its client leaves, this server does, or its client's right to it ends. */
function untilOver(
  { signal, principal }: McpCall,
  endings: Set<() => void>,
  follow: ExpiryWatch['follow'],
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      endings.delete(end)
      signal.removeEventListener('abort', end)
      unfollow()
      resolve()
    }
    const unfollow = follow(principal, end)
    endings.add(end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

function readFilter(params: Params<'subscriptions/listen'>, call: McpCall): Filter {
  const { notifications } = params
  if (!isRecord(notifications)) throw invalidParams("subscriptions/listen needs an object 'notifications'")
  // Nothing is told of tasks, which whoever declares them reads in the acknowledgement.
  if (Array.isArray(notifications['taskIds'])) requireExtension(call)
  for (const member of Object.values(MEMBERS)) {
    const value = notifications[member] ?? false
    if (typeof value !== 'boolean') throw invalidParams(`'notifications.${member}' must be a boolean`)
  }
  const uris = notifications['resourceSubscriptions'] ?? []
  if (!Array.isArray(uris) || uris.some((uri) => typeof uri !== 'string' || uri.length > MAX_URI_LENGTH)) {
    throw invalidParams(
      `'notifications.resourceSubscriptions' must be an array of addresses (at most ${MAX_URI_LENGTH} characters each)`,
    )
  }
  if (uris.length > MAX_SUBSCRIPTIONS)
    throw invalidParams(`too many addresses: ${uris.length} (max ${MAX_SUBSCRIPTIONS} in one subscription)`)
  return {
    kinds: new Set(KINDS.filter((kind) => notifications[MEMBERS[kind]] === true)),
    uris: new Set(uris.map(toOneSpelling)),
  }
}

function formatFilter({ kinds, uris }: Filter): JsonObject {
  const lists = KINDS.filter((kind) => kinds.has(kind)).map((kind) => [MEMBERS[kind], true] as const)
  return { ...Object.fromEntries(lists), ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }) }
}

/** Nobody can be told: the reply is a plain one, there are too many streams, or one was not opened. */
function unheard({ signal, reach }: McpCall): RpcError {
  if (signal.aborted) return new RpcError(RPC.refused, 'The client has left')
  if (reach === UNREACHABLE) {
    return new RpcError(RPC.refused, 'subscriptions/listen is answered as a stream: accept text/event-stream')
  }
  return new RpcError(
    RPC.overloaded,
    'No stream could be opened: too many are, for this caller, for all without a session or for this process, or the engine takes no more connections; try again in a moment',
  )
}
