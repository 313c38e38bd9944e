import { EXIT, tellUnwritten } from '@iii/sdk/cli'

/** Says when a command is to give up: Ctrl-C, a signal to end, nobody who reads, or output that cannot be written. */
export interface Interrupt {
  /** Fires with the reason `{ exitCode }`. From now on the process does not end by itself: a second time it does. */
  listen(): AbortSignal
}

/** Of a process, what ends it. */
export interface Endings {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  exit(code?: number): never
  readonly stdout: { on(event: 'error', listener: (error: Error) => void): unknown }
  readonly stderr: { on(event: 'error', listener: () => void): unknown; write(text: string): unknown }
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const

export function createInterrupt(endings: Endings): Interrupt {
  let controller: AbortController | undefined
  endings.stdout.on('error', (error) => {
    if (controller?.signal.aborted) return
    const isLost = tellUnwritten('iii-runs', error, endings)
    if (controller === undefined) endings.exit(isLost ? EXIT.failed : undefined)
    controller.abort({ exitCode: isLost ? EXIT.failed : EXIT.unread })
  })
  // A run tells there how it goes: `iii-runs run JOB 2>&1 | head`.
  endings.stderr.on('error', () => controller?.abort({ exitCode: EXIT.unread }))

  return {
    listen() {
      if (controller !== undefined) return controller.signal
      const own = new AbortController()
      controller = own
      for (const [signal, exitCode] of Object.entries(SIGNALS) as ['SIGINT' | 'SIGTERM', number][]) {
        endings.on(signal, () => {
          if (own.signal.aborted) endings.exit(exitCode)
          own.abort({ exitCode })
        })
      }
      return own.signal
    },
  }
}
