import type { Registration } from '@iii/sdk'
import type { Gate } from '../gate/index.ts'

/** The triggers that are attached at the moment, by id. */
export interface Attached {
  readonly size: number
  /** @param functionIds all that it calls */
  add(registration: Registration, functionIds: readonly string[]): void
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

interface Entry {
  readonly registration: Registration
  readonly functionIds: readonly string[]
}

/** Of so many that were detached by a rule it is known why. */
const MAX_REASONS = 64

export function createAttached({ gate, onChange }: AttachedOptions): Attached {
  const entries = new Map<string, Entry>()
  const reasons = new Map<string, string>()

  /** @returns why, when something that it calls is hidden; what is only away may come back */
  async function findHidden({ functionIds }: Entry): Promise<string | undefined> {
    for (const id of functionIds) {
      const pass = await gate.admit(id, 'tool')
      if (!pass.allowed && pass.reason !== 'unknown' && pass.reason !== 'unverified') return pass.message
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
    add(registration, functionIds) {
      entries.set(registration.id, { registration, functionIds })
      onChange()
    },
    remove(id) {
      const entry = entries.get(id)
      if (entry === undefined) return explainMissing(id, reasons.get(id))
      detach(id, entry)
      return undefined
    },
    async recheck() {
      for (const [id, entry] of entries) {
        const reason = await findHidden(entry)
        if (reason === undefined || !entries.has(id)) continue
        detach(id, entry)
        reasons.set(id, reason)
        const [oldest] = reasons.keys()
        if (oldest !== undefined && reasons.size > MAX_REASONS) reasons.delete(oldest)
      }
    },
    close() {
      for (const { registration } of entries.values()) registration.unregister()
      entries.clear()
    },
  }
}

function explainMissing(id: string, reason: string | undefined): string {
  return `Trigger not found: ${id.slice(0, 64)}${reason === undefined ? '' : ` (it was detached: ${reason})`}`
}
