import { toNamespacedKey } from '../wire/namespace.ts'

/** Who has which worker name in which namespace. A connection may have several, and has them until it leaves. */
export interface WorkerNames {
  /** Takes a name. @returns the connection that has it already. */
  claim(namespace: string, name: string, workerId: string): string | undefined
  /** Frees every name of a connection. */
  release(workerId: string): void
}

/** For an engine on which any number of workers may have the same name. */
export const ANY_NAMES: WorkerNames = {
  claim: () => undefined,
  release() {},
}

export function createWorkerNames(): WorkerNames {
  const owners = new Map<string, string>()
  return {
    claim(namespace, name, workerId) {
      const key = toNamespacedKey(namespace, name)
      const owner = owners.get(key) ?? workerId
      if (owner !== workerId) return owner
      owners.set(key, workerId)
      return undefined
    },
    release(workerId) {
      for (const [key, owner] of owners) if (owner === workerId) owners.delete(key)
    },
  }
}
