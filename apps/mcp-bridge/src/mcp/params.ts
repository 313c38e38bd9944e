import type {
  CancelledNotificationParams,
  GetTaskRequest,
  InputResponses,
  RequestTypeMap,
  ServerNotification,
} from '@modelcontextprotocol/server'

/** What a 2026-07-28 client adds to a request that it repeats: the official types keep it for themselves. */
interface Repetition {
  readonly inputResponses?: InputResponses
  readonly requestState?: string
}

interface RequestsOfExtensions {
  'tasks/get': GetTaskRequest
  'tasks/cancel': GetTaskRequest
  'tasks/update': { params: GetTaskRequest['params'] & Pick<Repetition, 'inputResponses'> }
}

interface NotificationsOfClients {
  'notifications/cancelled': { params: CancelledNotificationParams }
}

type Messages = RequestTypeMap & RequestsOfExtensions & NotificationsOfClients

/** The members that are named; any other may be there too. */
type Named<P> = keyof { [Member in keyof P as string extends Member ? never : Member]: unknown }

/** Params as a client sent them: members that MCP knows, with values that nobody has looked at. */
export type Params<Method extends keyof Messages> = {
  readonly [Member in Named<NonNullable<Messages[Method]['params']>>]?: unknown
}

/** Those of a request that calls a function. */
export type CallParams = Params<'tools/call'> &
  Params<'prompts/get'> &
  Params<'resources/read'> & { readonly [Member in keyof Repetition]?: unknown }

/** A notification to a client. */
export type ToClient = {
  [Told in ServerNotification as Told['method']]: [method: Told['method'], params: NonNullable<Told['params']>]
}[ServerNotification['method']]
