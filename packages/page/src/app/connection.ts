import type { Client, Prompt, ReadResourceResult, Resource, StandardSchemaV1, Tool } from '@modelcontextprotocol/client'
import { effect, signal } from '@preact/signals'
import { type AwayReason, type FailedRequest, quoteError, readError, toAwayReason } from './away-reason.ts'
import { createRecorder } from './exchanges.ts'
import { loadClient } from './load-client.ts'
import { ask, dropQuestions } from './questions.ts'

/** How it stands between this page and the server that it came from. */
export type LinkStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready' }
  /** It does not answer. The page tries again by itself. */
  | { readonly kind: 'away'; readonly reason: AwayReason }
  /** It wants a token, or another one. */
  | { readonly kind: 'locked'; readonly isRefused: boolean }

const RETRY_MS = 2_000
const CALL_MS = 10 * 60_000
const FRESH = { cacheMode: 'bypass' } as const
const UNAUTHORIZED = 401

export const status = signal<LinkStatus>({ kind: 'connecting' })
export const server = signal<{ title: string; version: string; instructions: string }>({
  title: '',
  version: '',
  instructions: '',
})
export const listedTools = signal<readonly Tool[]>([])
export const resources = signal<readonly Resource[]>([])
export const prompts = signal<readonly Prompt[]>([])
/** Why a list could not be had; the one before it stays. */
export const failures = signal<Readonly<Partial<Record<'tools' | 'resources' | 'prompts', string>>>>({})
/** Grows when the resource that is watched has changed, or may have while nobody watched it. */
export const revision = signal(0)

export const { exchanges, record } = createRecorder()

let client: Client | undefined
/** In the memory of this tab alone. */
let token: string | undefined
/** Has this page shown one? */
export const hasToken = signal(false)
/** Tries again later; somebody who does not wait takes its place. */
let retry: ReturnType<typeof setTimeout> | undefined

/** Connects, and does so again whenever the server comes back. */
export async function connect(withToken?: string): Promise<void> {
  clearTimeout(retry)
  showToken(withToken ?? token)
  if (status.value.kind !== 'away') status.value = { kind: 'connecting' }
  failed = undefined
  await close()
  try {
    client = await open()
    await loadAll()
    if (isLocked()) return
    status.value = { kind: 'ready' }
    revision.value++
    void listen(client)
  } catch (error) {
    if (!isLocked()) comeBack(toAwayReason(error, failed))
  }
}

function showToken(shown: string | undefined): void {
  token = shown
  hasToken.value = shown !== undefined
}

async function close(): Promise<void> {
  const last = client
  client = undefined
  dropQuestions()
  await last?.close().catch(() => undefined)
}

function comeBack(reason: AwayReason): void {
  status.value = { kind: 'away', reason }
  clearTimeout(retry)
  retry = setTimeout(() => void connect(), RETRY_MS)
}

function isLocked(): boolean {
  return status.value.kind === 'locked'
}

/** Whatever was asked: without a token that counts there is nothing to be seen. */
function lock(): void {
  status.value = { kind: 'locked', isRefused: token !== undefined }
  showToken(undefined)
  listedTools.value = []
  resources.value = []
  prompts.value = []
  exchanges.value = []
  void close()
}

/** The last request that failed since the page tried to connect. */
let failed: FailedRequest | undefined

const watchedFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init).catch((error: unknown) => {
    if (!init?.signal?.aborted) failed = {}
    throw error
  })
  if (reply.status === UNAUTHORIZED) lock()
  else if (!reply.ok) failed = await readError(reply.clone())
  return reply
}

async function open(): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await loadClient()
  const next = new Client(
    { name: 'iii-page', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      // What does not fit a schema is shown as it came, so that one sees what an agent gets.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
  next.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => ask(params, mcpReq.signal))
  next.setNotificationHandler('notifications/tools/list_changed', loadTools)
  next.setNotificationHandler('notifications/resources/list_changed', loadResources)
  next.setNotificationHandler('notifications/prompts/list_changed', loadPrompts)
  next.setNotificationHandler('notifications/resources/updated', () => void revision.value++)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(location.pathname, location.origin), {
    requestInit: { headers },
    fetch: watchedFetch,
  })
  await next.connect(record(transport))
  const { title, name = '', version = '' } = next.getServerVersion() ?? {}
  server.value = { title: title ?? name, version, instructions: next.getInstructions() ?? '' }
  return next
}

async function listen(of: Client): Promise<void> {
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const closed = await of.listen(lists).then(
    async (subscription) => {
      // What has changed since they were read was told to nobody.
      if (of === client) await loadAll()
      return subscription.closed
    },
    (error: unknown) => quoteError(error),
  )
  if (closed !== 'local' && of === client && !isLocked()) comeBack({ what: 'It closed the connection.', todo: '' })
}

/** @returns what ends the watching */
export function watch(uri: string): () => void {
  const stop = new AbortController()
  void connected()
    .listen({ resourceSubscriptions: [uri] }, { signal: stop.signal })
    .catch(() => undefined)
  return () => stop.abort()
}

const loadAll = () => Promise.all([loadTools(), loadResources(), loadPrompts()])
const loadTools = () => load('tools', async (of) => (listedTools.value = (await of.listTools({}, FRESH)).tools))
const loadResources = () =>
  load('resources', async (of) => (resources.value = (await of.listResources({}, FRESH)).resources))
const loadPrompts = () => load('prompts', async (of) => (prompts.value = (await of.listPrompts({}, FRESH)).prompts))

/** One list that cannot be had keeps nobody from the others. */
async function load(kind: keyof typeof failures.value, read: (of: Client) => Promise<unknown>): Promise<void> {
  const of = connected()
  const failure = await read(of).then(() => undefined, quoteError)
  if (of !== client) return
  const { [kind]: _before, ...others } = failures.value
  failures.value = failure === undefined ? others : { ...others, [kind]: failure }
}

/** The client, while there is one. */
export function connected(): Client {
  if (client === undefined) throw new Error('The server is away; this page tries again by itself.')
  return client
}

export interface CallProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export function callTool(
  name: string,
  args: Record<string, unknown>,
  options: { signal?: AbortSignal; onprogress?: (progress: CallProgress) => void } = {},
) {
  return connected().callTool({ name, arguments: args }, { timeout: CALL_MS, resetTimeoutOnProgress: true, ...options })
}

export type Contents = ReadResourceResult['contents']

/** @returns what is there, and what is told beside it */
export async function readResource(uri: string): Promise<{ contents: Contents; meta: Record<string, unknown> }> {
  const { contents, _meta: meta = {} } = await connected().readResource({ uri }, FRESH)
  return { contents, meta }
}

/** A skill with its files, as the extension for them has it. @param uri of its `SKILL.md`. @returns unchecked; undefined without the extension */
export async function readSkill(uri: string): Promise<unknown> {
  const of = connected()
  if (of.getServerCapabilities()?.extensions?.['io.modelcontextprotocol/skills'] === undefined) return undefined
  return await of.request({ method: 'skills/get', params: { uri } }, SKILL_AS_IT_COMES)
}

const SKILL_AS_IT_COMES: StandardSchemaV1<unknown, unknown> = {
  '~standard': {
    version: 1,
    vendor: 'iii',
    validate: (value) => ({ value: (value as { readonly skill?: unknown }).skill }),
  },
}

/** Names the tab after the server. */
effect(() => {
  if (server.value.title !== '') document.title = server.value.title
})
