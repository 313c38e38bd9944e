import { type Logger, messageOf, type Worker } from '@iii/sdk'

export interface PollOptions {
  worker: Pick<Worker, 'state' | 'onStateChange'>
  log: Logger
  /** What is looked at, as the log names it. */
  scope: string
  pollEveryMs: number
}

/** Looks when there is a connection, and then at intervals; says once that it cannot, and once that it can again. */
export function startPolling({ worker, log, scope, pollEveryMs }: PollOptions, work: () => Promise<void>): () => void {
  const report = createReport(log, scope)
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function run(): Promise<void> {
    clearTimeout(timer)
    if (worker.state === 'connected') await work().then(report.success, report.failure)
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(() => void run(), pollEveryMs).unref()
  }

  const ignore = worker.onStateChange((state) => {
    if (state === 'connected') void run()
  })
  void run()
  return () => {
    stopped = true
    clearTimeout(timer)
    ignore()
  }
}

function createReport(log: Logger, scope: string) {
  let failing = false
  return {
    success() {
      if (failing) log.info({ scope }, 'the store can be read again')
      failing = false
    },
    failure(error: unknown) {
      const reason = messageOf(error)
      if (!failing) log.warn({ scope, reason }, 'the store cannot be read; trying again')
      failing = true
    },
  }
}
