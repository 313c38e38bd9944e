import { LOG_LEVEL_META_KEY, Client as NewClient } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { CalledResult, ClientKind } from './clients.ts'
import { toListedCall } from './search-mode.ts'
import { type ServerTarget, toNewTransport, toOldTransport } from './transports.ts'

/** Something that a server sent without being asked. */
export interface ServerMessage {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

export interface HostCallOptions {
  onProgress?: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void
  signal?: AbortSignal
  /** From which level on the server shall log while it runs. */
  logLevel?: 'debug' | 'error'
  /** The span of the host that the call belongs to. */
  traceparent?: string
}

/** An official client as a host has it that lets itself be asked, and listens. It has one face for all of them. */
export interface ClientHost extends AsyncDisposable {
  /** Notifications, in the order in which they came; but progress, which goes to whoever called. */
  readonly heard: readonly ServerMessage[]
  /** What it was asked, in that order. */
  readonly asked: readonly ServerMessage[]
  /** The names of the tools that it is shown now. */
  listTools(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>, options?: HostCallOptions): Promise<CalledResult>
  /** Wants to hear of changes to the lists, and to a resource. */
  watch(uri: string): Promise<void>
  complete(prompt: string, argument: string, typed: string): Promise<string[]>
  read(uri: string): Promise<{ uri: string; text?: string | undefined; blob?: string | undefined }[]>
  getPrompt(name: string): Promise<{ messages: { content: unknown }[] }>
}

/** What a host answers. Those that are left out, it does not declare. */
export interface HostAnswers {
  elicitation?: (params: Readonly<Record<string, unknown>>) => FormAnswer
  sampling?: string
  roots?: readonly string[]
  /** Its model reads `structuredContent`. */
  readsData?: boolean
}
export type FormAnswer =
  | { action: 'accept'; content: Record<string, string | number | boolean> }
  | { action: 'decline' | 'cancel' }

const INFO = { name: 'e2e', version: '0.0.0' }

export async function connectHost(
  kind: ClientKind,
  target: ServerTarget,
  answers: HostAnswers = {},
): Promise<ClientHost> {
  return kind === 'sdk 1.x' ? await connectOld(target, answers) : await connectNew(target, kind, answers)
}

async function connectOld(target: ServerTarget, answers: HostAnswers): Promise<ClientHost> {
  const client = new Client(INFO, { capabilities: toCapabilities(answers) })
  const { heard, asked, answer } = createMemory(answers)
  client.fallbackNotificationHandler = async (said) => void heard.push(said)
  if (answers.elicitation) client.setRequestHandler(ElicitRequestSchema, (request) => answer.form(request))
  if (answers.sampling) client.setRequestHandler(CreateMessageRequestSchema, (request) => answer.message(request))
  if (answers.roots) client.setRequestHandler(ListRootsRequestSchema, (request) => answer.roots(request))
  await client.connect(toOldTransport(target))
  return {
    heard,
    asked,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}, { onProgress, signal, logLevel, traceparent } = {}) {
      if (logLevel) await client.setLoggingLevel(logLevel)
      const options = { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) }
      const meta = traceparent === undefined ? {} : { _meta: { traceparent } }
      return (await client.callTool({ ...toListedCall(name, args), ...meta }, undefined, options)) as CalledResult
    },
    watch: async (uri) => void (await client.subscribeResource({ uri })),
    complete: async (prompt, name, value) => {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: prompt },
        argument: { name, value },
      })
      return completion.values
    },
    read: async (uri) => (await client.readResource({ uri })).contents as Awaited<ReturnType<ClientHost['read']>>,
    getPrompt: (name) => client.getPrompt({ name }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function connectNew(target: ServerTarget, kind: ClientKind, answers: HostAnswers): Promise<ClientHost> {
  const isModern = kind === 'client 2.x on 2026-07-28'
  const versionNegotiation = { mode: isModern ? { pin: '2026-07-28' } : 'legacy' } as const
  const client = new NewClient(INFO, { versionNegotiation, capabilities: toCapabilities(answers) })
  const { heard, asked, answer } = createMemory(answers)
  client.fallbackNotificationHandler = async (said) => void heard.push(said)
  if (answers.elicitation) client.setRequestHandler('elicitation/create', (request) => answer.form(request))
  if (answers.sampling) client.setRequestHandler('sampling/createMessage', (request) => answer.message(request))
  if (answers.roots) client.setRequestHandler('roots/list', (request) => answer.roots(request))
  await client.connect(toNewTransport(target))
  return {
    heard,
    asked,
    listTools: async () => (await client.listTools({}, { cacheMode: 'bypass' })).tools.map(({ name }) => name),
    async call(name, args = {}, { onProgress, signal, logLevel, traceparent } = {}) {
      if (logLevel && !isModern) await client.setLoggingLevel(logLevel)
      const level = logLevel && isModern ? { [LOG_LEVEL_META_KEY]: logLevel } : {}
      const _meta = { ...level, ...(traceparent === undefined ? {} : { traceparent }) }
      const meta = Object.keys(_meta).length === 0 ? {} : { _meta }
      const options = { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) }
      return (await client.callTool({ ...toListedCall(name, args), ...meta }, options)) as CalledResult
    },
    async watch(uri) {
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
      if (isModern) await client.listen({ ...lists, resourceSubscriptions: [uri] })
      else await client.subscribeResource({ uri })
    },
    complete: async (prompt, name, value) => {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: prompt },
        argument: { name, value },
      })
      return completion.values
    },
    read: async (uri) => (await client.readResource({ uri }, { cacheMode: 'bypass' })).contents,
    getPrompt: (name) => client.getPrompt({ name, arguments: {} }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function toCapabilities({ elicitation, sampling, roots, readsData }: HostAnswers) {
  return {
    ...(elicitation && { elicitation: {} }),
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: {} }),
    ...(readsData && { experimental: { 'iii/structured-content': {} } }),
  }
}

function createMemory({ elicitation, sampling = '', roots = [] }: HostAnswers) {
  const heard: ServerMessage[] = []
  const asked: ServerMessage[] = []
  const answer = {
    form: ({ method, params }: ServerMessage): FormAnswer => {
      asked.push({ method, params })
      return elicitation?.(params ?? {}) ?? { action: 'cancel' }
    },
    message: ({ method, params }: ServerMessage) => {
      asked.push({ method, params })
      const content = { type: 'text' as const, text: sampling }
      return { role: 'assistant' as const, model: 'e2e', content, stopReason: 'endTurn' as const }
    },
    roots: ({ method, params }: ServerMessage) => {
      asked.push({ method, params })
      return { roots: roots.map((uri) => ({ uri })) }
    },
  }
  return { heard, asked, answer }
}
