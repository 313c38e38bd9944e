import type { Registration } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { Denial, Gate } from '../gate/index.ts'
import { createGone } from './gone.ts'

/** The triggers that are attached at the moment, by id. */
export interface Attached {
  readonly size: number
  add(registration: Registration, called: Called): void
  /** Detaches one. @returns the text for the client when it is not there */
  remove(id: string): string | undefined
  /** The rules for what is shown have changed: what leads to something that they hide is detached. */
  recheck(): Promise<void>
  /** Detaches them all. */
  close(): void
}

export interface AttachedOptions {
  readonly gate: Gate
  /** Told when one was attached or detached. */
  readonly onChange: () => void
}

/** All that a trigger calls, and whom it was attached for. */
interface Called {
  readonly functionIds: readonly string[]
  readonly principal: Principal
}

interface Entry extends Called {
  readonly registration: Registration
}

/** Why something cannot be seen that may come back. */
const AWAY: ReadonlySet<string> = new Set<Denial['reason']>(['unknown', 'unverified'])

/** Of so many that were detached by a rule it is known why. */
const MAX_REASONS = 64

export function createAttached({ gate, onChange }: AttachedOptions): Attached {
  const entries = new Map<string, Entry>()
  const gone = createGone('Trigger', MAX_REASONS)

  /** @returns why, when something that it calls is hidden; what is only away may come back */
  async function findHidden({ functionIds, principal }: Entry): Promise<string | undefined> {
    for (const id of functionIds) {
      const pass = await gate.admit(id, 'tool', principal)
      if (pass.allowed || (pass.why === undefined && AWAY.has(pass.reason))) continue
      return pass.message
    }
    return undefined
  }

  function detach(id: string, { registration }: Entry): void {
    entries.delete(id)
    registration.unregister()
    onChange()
  }

  return {
    get size() {
      return entries.size
    },
    add(registration, called) {
      entries.set(registration.id, { ...called, registration })
      onChange()
    },
    remove(id) {
      const entry = entries.get(id)
      if (entry === undefined) return gone.explain(id)
      detach(id, entry)
      return undefined
    },
    async recheck() {
      for (const [id, entry] of entries) {
        const reason = await findHidden(entry)
        if (reason === undefined || !entries.has(id)) continue
        detach(id, entry)
        gone.note(id, `it was detached: ${reason}`)
      }
    },
    close() {
      for (const { registration } of entries.values()) registration.unregister()
      entries.clear()
    },
  }
}
