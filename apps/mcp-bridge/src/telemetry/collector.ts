import type { Logger } from '@iii/sdk'

/** Brings texts to a collector, by OTLP over HTTP. */
export interface Collector {
  /**
   * Never rejects.
   *
   * @returns whether it is there, and where it is not, whether it may be later
   */
  send(url: string, body: string, timeoutMs: number): Promise<'taken' | 'later' | 'refused'>
}

export interface CollectorOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly log: Logger
}

/** A collector that is away is news once in a while. */
const WARN_EVERY_MS = 60_000
/** So OpenTelemetry says. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createCollector({ headers, log }: CollectorOptions): Collector {
  let warnedAt = Number.NEGATIVE_INFINITY

  function warn(url: string, reason: string): void {
    if (Date.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = Date.now()
    log.warn({ collector: new URL(url).host, reason }, 'telemetry does not reach its collector; calls are not affected')
  }

  return {
    async send(url, body, timeoutMs) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
          // The headers hold keys, and are for nobody else.
          redirect: 'error',
          signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))),
        })
        void response.body?.cancel().catch(() => undefined)
        if (response.ok) return 'taken'
        warn(url, `it answered ${response.status}`)
        return PASSING.has(response.status) ? 'later' : 'refused'
      } catch (error) {
        warn(url, toReason(error))
        return 'later'
      }
    },
  }
}

/** The name alone: messages of `fetch` may hold more than is for a log. */
function toReason(error: unknown): string {
  const { name, cause } = error as Error
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : name
}
