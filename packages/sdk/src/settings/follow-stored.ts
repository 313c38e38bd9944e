import type { Logger } from '../log.ts'
import type { AnyOptionTable } from '../options/option-table.ts'
import { within } from '../pause.ts'
import type { Worker } from '../worker/worker.ts'
import type { WatchedSettings } from './settings.ts'
import { createEntry } from './stored-entry.ts'
import { toForm } from './stored-form.ts'
import { createStoredLook } from './stored-look.ts'
import { createStoredReport } from './stored-report.ts'

/** Settings that the engine keeps for this worker, and that count as they change. */
export interface StoredSettings {
  /** Resolves when the stored settings count, or cannot be had in time after the first connection; not when stopped before. */
  readonly settled: Promise<void>
  stop(): void
}

export interface StoredSettingsOptions {
  worker: Worker
  settings: WatchedSettings<unknown>
  table: AnyOptionTable
  /** The entry's id. */
  id: string
  name: string
  description: string
  log: Logger
  /** How long a start waits for the store. @default 1500 */
  settleMs?: number | undefined
  /** How long after a failure the store is asked again. @default 5000 */
  retryMs?: number | undefined
}

/**
 * Registers the worker's settings with the engine's `configuration` worker, seeded with what counts here when there are none, and
 * lays what is stored over the others, now and whenever it changes. A worker of whose options none may be stored has no entry, and says of one
 * that somebody else has made under its name that it does not count.
 *
 * A change is told by the engine; what it says is asked for, because tidings overtake each other.
 */
export function followStored(options: StoredSettingsOptions): StoredSettings {
  const { worker, settings, table, log, settleMs = 1500, retryMs = 5000 } = options
  const schema = toForm(table)
  if (!Object.values(table).some(({ yaml }) => yaml !== undefined))
    return { settled: Promise.resolve(), stop: () => undefined }
  const entry = createEntry(worker, { ...options, schema })
  const report = createStoredReport(log.child({ settings: entry.id }), schema !== undefined)
  const look = createStoredLook({
    entry,
    settings,
    table,
    report,
    onDeclare: once(() => listen(worker, entry.id, () => void next())),
  })
  let retry: NodeJS.Timeout | undefined
  let last = Promise.resolve()
  let waiting: Promise<void> | undefined

  async function take(): Promise<void> {
    waiting = undefined
    clearTimeout(retry)
    if (worker.state !== 'connected') return
    const refusal = await look.now()
    if (refusal?.isFinal === false) retry = setTimeout(() => void next(), retryMs).unref()
  }

  /** One look after the other; one that has not begun yet serves all who ask for it. */
  function next(): Promise<void> {
    waiting ??= last.then(take)
    last = waiting
    return waiting
  }

  const settling = createSettling()
  const greet = () => {
    if (worker.state !== 'connected') return
    look.forget()
    void within(settleMs, next()).then(settling.settle)
  }
  const leave = [
    worker.onStateChange(greet),
    settings.onChange(() => void (look.waitsForFile && settings.locked === undefined && next())),
  ]
  greet()
  return {
    settled: settling.settled,
    stop() {
      clearTimeout(retry)
      for (const stop of leave) stop()
    },
  }
}

function listen(worker: Worker, id: string, onChange: () => void): void {
  const functionId = `iii::settings::${worker.instance}`
  const hear = () => {
    onChange()
    return {}
  }
  worker.registerFunction(functionId, hear, {
    description: 'Hears that the stored settings of this process have changed.',
    request_format: { type: 'object', properties: { id: { type: 'string' }, event_type: { type: 'string' } } },
    response_format: { type: 'object' },
    metadata: { internal: true, 'mcp.expose': false },
  })
  worker.registerTrigger({ type: 'configuration', function_id: functionId, config: { configuration_id: id } })
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

function createSettling(): { settled: Promise<void>; settle(): void } {
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { settled, settle: () => settle() }
}
