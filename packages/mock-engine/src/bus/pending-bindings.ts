import type { WireError } from '../wire/frames.ts'

/** Bindings that wait for the worker that is to provide them. */
export interface PendingBindings {
  /** Waits for a worker's verdict, at most this long; silence counts as consent. */
  open(id: string, workerId: string, timeoutMs: number): Promise<WireError | undefined>
  /** Takes the verdict of a worker. @returns whether it was waited for. */
  decide(id: string, workerId: string, error: WireError | undefined): boolean
  /** A worker that left has nothing against anything. */
  close(workerId?: string): void
}

export function createPendingBindings(): PendingBindings {
  const open = new Map<string, { readonly workerId: string; settle(error: WireError | undefined): void }>()
  return {
    open: (id, workerId, timeoutMs) =>
      new Promise((resolve) => {
        const settle = (error: WireError | undefined) => {
          clearTimeout(timer)
          open.delete(id)
          resolve(error)
        }
        const timer = setTimeout(settle, timeoutMs, undefined)
        open.set(id, { workerId, settle })
      }),
    decide(id, workerId, error) {
      const proposal = open.get(id)
      if (proposal?.workerId !== workerId) return false
      proposal.settle(error)
      return true
    },
    close(workerId) {
      for (const proposal of open.values()) {
        if (workerId === undefined || proposal.workerId === workerId) proposal.settle(undefined)
      }
    },
  }
}
