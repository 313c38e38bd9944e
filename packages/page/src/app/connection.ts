import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type Prompt,
  ProtocolError,
  type Resource,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client'
import { effect, signal } from '@preact/signals'
import { createRecorder } from './exchanges.ts'

/** How it stands between this page and the server that it came from. */
export type Status =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready' }
  /** It does not answer, for this reason. The page tries again by itself. */
  | { readonly kind: 'away'; readonly reason: string }
  /** It wants a token. */
  | { readonly kind: 'locked' }

/** A question of a function, until it is answered. */
export interface Question {
  readonly params: ElicitRequest['params']
  answer(result: ElicitResult): void
}

const RETRY_MS = 2_000
const CALL_MS = 10 * 60_000
const FRESH = { cacheMode: 'bypass' } as const
const UNAUTHORIZED = 401

export const status = signal<Status>({ kind: 'connecting' })
export const server = signal<{ title: string; version: string; instructions: string }>({
  title: '',
  version: '',
  instructions: '',
})
export const tools = signal<readonly Tool[]>([])
export const resources = signal<readonly Resource[]>([])
export const prompts = signal<readonly Prompt[]>([])
export const questions = signal<readonly Question[]>([])
/** Grows when the resource that is watched has changed. */
export const revision = signal(0)

export const { exchanges, record } = createRecorder()

let client: Client | undefined
/** In the memory of this tab alone. */
let token: string | undefined
/** Tries again later; somebody who does not wait takes its place. */
let retry: ReturnType<typeof setTimeout> | undefined

/** Connects, and does so again whenever the server comes back. */
export async function connect(withToken?: string): Promise<void> {
  clearTimeout(retry)
  token = withToken ?? token
  status.value = { kind: 'connecting' }
  await client?.close().catch(() => undefined)
  try {
    client = await open()
    await Promise.all([loadTools(), loadResources(), loadPrompts()])
    status.value = { kind: 'ready' }
    void listen(client)
  } catch (error) {
    if (error instanceof SdkHttpError && error.status === UNAUTHORIZED) status.value = { kind: 'locked' }
    else comeBack(explain(error))
  }
}

function comeBack(reason: string): void {
  status.value = { kind: 'away', reason }
  clearTimeout(retry)
  retry = setTimeout(() => void connect(), RETRY_MS)
}

async function open(): Promise<Client> {
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
  next.setRequestHandler('elicitation/create', ({ params }) => ask(params))
  next.setNotificationHandler('notifications/tools/list_changed', loadTools)
  next.setNotificationHandler('notifications/resources/list_changed', loadResources)
  next.setNotificationHandler('notifications/prompts/list_changed', loadPrompts)
  next.setNotificationHandler('notifications/resources/updated', () => void revision.value++)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(location.pathname, location.origin), {
    requestInit: { headers },
  })
  await next.connect(record(transport))
  const { title, name = '', version = '' } = next.getServerVersion() ?? {}
  server.value = { title: title ?? name, version, instructions: next.getInstructions() ?? '' }
  return next
}

async function listen(of: Client): Promise<void> {
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const closed = await of.listen(lists).then(
    (subscription) => subscription.closed,
    (error: unknown) => explain(error),
  )
  if (closed !== 'local' && of === client) comeBack('it closed the connection')
}

/** @returns what ends the watching */
export function watch(uri: string): () => void {
  const stop = new AbortController()
  void connected()
    .listen({ resourceSubscriptions: [uri] }, { signal: stop.signal })
    .catch(() => undefined)
  return () => stop.abort()
}

function ask(params: ElicitRequest['params']): Promise<ElicitResult> {
  return new Promise((resolve) => {
    const question: Question = {
      params,
      answer(result) {
        questions.value = questions.value.filter((each) => each !== question)
        resolve(result)
      },
    }
    questions.value = [...questions.value, question]
  })
}

async function loadTools(): Promise<void> {
  tools.value = (await connected().listTools({}, FRESH)).tools
}
async function loadResources(): Promise<void> {
  resources.value = (await connected().listResources({}, FRESH)).resources
}
async function loadPrompts(): Promise<void> {
  prompts.value = (await connected().listPrompts({}, FRESH)).prompts
}

/** The client, while there is one. */
export function connected(): Client {
  if (client === undefined) throw new Error('The server is away; this page tries again by itself.')
  return client
}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export function callTool(
  name: string,
  args: Record<string, unknown>,
  options: { signal?: AbortSignal; onprogress?: (progress: Progress) => void } = {},
) {
  return connected().callTool({ name, arguments: args }, { timeout: CALL_MS, resetTimeoutOnProgress: true, ...options })
}

export async function readText(uri: string): Promise<string> {
  const { contents } = await connected().readResource({ uri }, FRESH)
  return contents.map((content) => ('text' in content ? content.text : `(${content.mimeType ?? 'bytes'})`)).join('\n\n')
}

/** Whatever went wrong, in the words of whoever said it. */
export function explain(error: unknown): string {
  if (error instanceof ProtocolError || error instanceof Error) return error.message
  return String(error)
}

/** Names the tab after the server. */
effect(() => {
  if (server.value.title !== '') document.title = server.value.title
})
