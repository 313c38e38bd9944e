import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { createSessions, type Sessions, type SessionsOptions } from '../sessions/index.ts'
import { createSessionStore, SESSION_SCOPES, type SessionStore, WATCHED_SCOPES } from '../sessions/store.ts'

/** Bridges on one engine as far as sessions go, which share a clock and hear of each other's writes. */
export interface SessionStage extends AsyncDisposable {
  readonly engine: MockEngine
  readonly worker: Worker
  readonly store: SessionStore
  readonly clock: { now: number }
  /** Starts one more, which has read what is stored. */
  start(options?: Partial<SessionsOptions>): Promise<Sessions>
  /** What is in a scope. */
  rows(scope: keyof typeof SESSION_SCOPES): Promise<Record<string, unknown>[]>
  /** The sessions that have ended, as it is stored. */
  ended(): Promise<string[]>
}

export async function startSessionStage(): Promise<SessionStage> {
  const engine = await startMockEngine()
  const log = createLog({ name: 'mcp', level: 'silent' })
  const worker = registerWorker(engine.url, { name: 'mcp', log })
  const clock = { now: Date.now() }
  const all: Sessions[] = []
  for (const scope of WATCHED_SCOPES) {
    worker.registerFunction(`mcp::on-${scope}`, (event: unknown) => {
      for (const sessions of all) sessions.observe(scope, event)
      return {}
    })
    worker.registerTrigger({ type: 'state', function_id: `mcp::on-${scope}`, config: { scope } })
  }
  await worker.ready()
  const rows = (scope: keyof typeof SESSION_SCOPES) =>
    worker.trigger<Record<string, unknown>[]>({
      function_id: 'state::list',
      payload: { scope: SESSION_SCOPES[scope] },
    })
  return {
    engine,
    worker,
    store: createSessionStore(worker, 2_000),
    clock,
    async start(options = {}) {
      const store = createSessionStore(worker, 2_000)
      const sessions = createSessions({ store, log, now: () => clock.now, ...options })
      all.push(sessions)
      await sessions.load()
      return sessions
    },
    rows,
    async ended() {
      const parts = (await rows('index')).filter(({ key }) => String(key).startsWith('ended-'))
      return parts.flatMap((part) => Object.keys(part).filter((name) => name !== 'key'))
    },
    async [Symbol.asyncDispose]() {
      for (const sessions of all) await sessions.close()
      await worker.shutdown()
      await engine.close()
    },
  }
}
