import { RPC, RpcError } from './rpc.ts'

/** Bounds how many calls are under way at once, so that a flood is turned away and not queued. */
export interface Slots {
  /** Runs the work in a slot. @throws RpcError `overloaded`, before the work began, when all are taken */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createSlots(limit: number): Slots {
  let taken = 0
  return {
    async run(work) {
      if (taken >= limit) {
        throw new RpcError(RPC.overloaded, `Too many calls at once: this server runs ${limit}; try again in a second`)
      }
      taken += 1
      try {
        return await work()
      } finally {
        taken -= 1
      }
    },
  }
}
