import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import type { CorsSettings } from './cors.ts'

/** How the HTTP port behaves; may change while it runs. */
export interface HttpSettings {
  /** How long a response head may take, in milliseconds. */
  timeoutMs: number
  cors: CorsSettings | undefined
  /** Functions asked before every request. */
  middleware: readonly string[]
  host: string
  port: number
}

/** The settings as `configuration::get` shows them. */
export function formatHttpSettings({ timeoutMs, cors, middleware, host, port }: HttpSettings): JsonText {
  return objectText({
    concurrency_request_limit: '1024',
    cors: cors
      ? objectText({
          allowed_origins: arrayText(cors.allowedOrigins.map(quote)),
          allowed_methods: arrayText(cors.allowedMethods.map(quote)),
        })
      : 'null',
    default_timeout: String(timeoutMs),
    host: quote(host),
    middleware: arrayText(
      middleware.map((id) => objectText({ function_id: quote(id), phase: '"preHandler"', priority: '0' })),
    ),
    port: String(port),
  })
}

/** Takes what a stored configuration says; the port and address of a running server stay. */
export function applyHttpSettings(settings: HttpSettings, value: JsonText): void {
  const members = toMembers(value)
  settings.timeoutMs = Number(members?.get('default_timeout') ?? DEFAULT_TIMEOUT_MS)
  const cors = toMembers(members?.get('cors') ?? 'null')
  settings.cors = cors && {
    allowedOrigins: toStrings(cors.get('allowed_origins')),
    allowedMethods: toStrings(cors.get('allowed_methods')),
  }
  settings.middleware = (toItems(members?.get('middleware') ?? 'null') ?? [])
    .flatMap(toMiddleware)
    .sort((a, b) => a.priority - b.priority)
    .map(({ id }) => id)
}

const DEFAULT_TIMEOUT_MS = 30_000

/** Only what is to run before the handler ever does. */
function toMiddleware(item: JsonText): { readonly id: string; readonly priority: number }[] {
  const members = toMembers(item)
  const id = toStringValue(members?.get('function_id'))
  const phase = toStringValue(members?.get('phase')) ?? 'preHandler'
  return id === undefined || phase !== 'preHandler' ? [] : [{ id, priority: Number(members?.get('priority') ?? 0) }]
}

/** The strings of a list, whatever else is in it left out. */
export function toStrings(text: JsonText | undefined): string[] {
  return (toItems(text ?? 'null') ?? []).flatMap((item) => toStringValue(item) ?? [])
}
