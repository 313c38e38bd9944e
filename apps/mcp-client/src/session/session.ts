import type { Clock } from '../clock.ts'
import type { Counts } from '../diagnostics/counts.ts'
import type { ServerAnswer } from '../transport/incoming.ts'
import type { ServerProcess } from '../transport/server-process.ts'
import { createServerTransport } from '../transport/server-transport.ts'
import { createDeferred } from './deferred.ts'
import { initialize } from './initialize.ts'
import { createNotifications, type Notifications } from './notifications.ts'
import { type ClientInfo, loadProtocolClient } from './protocol-client.ts'
import { createRequest, type Request } from './request.ts'
import { type ServerInfo, toServerInfo } from './server-info.ts'
import type { SessionEnd } from './session-end.ts'

/** One conversation with the process of a server, from `initialize` to its end. */
export interface ServerSession {
  readonly info: ServerInfo
  has(capability: 'tools' | 'resources' | 'prompts'): boolean
  readonly request: Request
  /** What the server logs, which says nothing of the call that it belongs to. Returns how to stop listening. */
  readonly onLog: Notifications['onLog']
  readonly onOver: Notifications['onOver']
  /** Never rejects. */
  readonly ended: Promise<SessionEnd>
  /** Ends the conversation; the process is somebody else's. */
  close(): void
}

export interface SessionOptions {
  readonly process: ServerProcess
  readonly client: ClientInfo
  /** The longest message, at the moment. */
  messageBytes(): number
  /** For the handshake. */
  readonly startMs: number
  readonly clock: Clock
  readonly counts: Counts
  /** Takes secrets out of a text. */
  clean(text: string): string
  onToolsChanged(): void
}

/** @throws ServerFailure that says why there is no conversation; the process is left to the caller */
export async function startSession(options: SessionOptions): Promise<ServerSession> {
  const { process, clock, clean } = options
  const notifications = createNotifications(options)
  let initialized: ServerAnswer | undefined
  let end: SessionEnd | undefined
  const broken = createDeferred<SessionEnd>()
  const ended = Promise.race([
    broken.promise,
    process.ended.then((ending): SessionEnd => ({ kind: 'process', ending })),
  ]).then((first) => {
    end ??= first
    return end
  })
  const transport = createServerTransport({
    ...options,
    onNotification: notifications.receive,
    onLateAnswers: notifications.onLateAnswers,
    onInitialize(answer) {
      initialized = answer
    },
    onBroken(why) {
      end = { kind: 'broken', why }
      broken.resolve(end)
    },
  })
  const client = await loadProtocolClient(options.client)
  const close = () => void client.close().catch(() => undefined)
  void ended.then(close)
  const result = await initialize({
    ...{ client, transport, ended, clock, startMs: options.startMs, clean },
    answer: () => initialized,
    skippedLines: () => options.counts.all()['skipped_lines'] ?? 0,
  })
  const info = toServerInfo(result, clean)
  const capabilities = client.getServerCapabilities() ?? {}
  return {
    info,
    has: (capability) => capabilities[capability] !== undefined,
    request: createRequest({ client, notifications, clock, end: () => end }),
    onLog: notifications.onLog,
    onOver: notifications.onOver,
    ended,
    close,
  }
}
