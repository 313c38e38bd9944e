import type { SealKey, SealKeys } from './request-state-seal.ts'
import { createKey, readSessionId, type SessionFacts } from './session-id.ts'
import type { SessionStore } from './store.ts'

/** The keys that session ids are signed with: one to sign, all to read. */
export interface SessionKeys extends SealKeys {
  /** Reads an id; asks the store for keys when it was signed with one that is not known here. */
  read(id: string): Promise<SessionFacts | undefined>
  /** @throws when the store cannot be read */
  load(): Promise<void>
}

/** An unknown key may be one that another bridge has just made; a stranger must not make us ask for every request. */
const ASK_EVERY_MS = 1_000

export function createSessionKeys(store: SessionStore): SessionKeys {
  let signing = createKey()
  let held = false
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined
  const keys = new Map<number, SealKey>([[signing.id, signing]])

  async function load(): Promise<void> {
    let stored = await store.keys()
    const known = stored.some((key) => key.id === signing.id)
    // A key that somebody may hold a session of stays readable for all bridges, also when the store was emptied.
    if (stored.length === 0 || (held && !known)) stored = await store.addKey(signing)
    for (const key of stored) keys.set(key.id, key)
    signing = stored[0] ?? signing
    held = true
  }

  /**
   * Asks the store for keys that others have made, unless it was asked a moment ago. Who comes while it is asked waits for the
   * answer: the first requests to a bridge that has just started come together, and a session that they go on with must not end.
   *
   * @returns whether it was asked
   */
  async function learn(): Promise<boolean> {
    if (asking === undefined) {
      if (performance.now() - askedAt < ASK_EVERY_MS) return false
      askedAt = performance.now()
      const asked = () => {
        asking = undefined
      }
      asking = load().then(asked, asked)
    }
    await asking
    return true
  }

  return {
    signing() {
      held = true
      return signing
    },
    load,
    async find(id) {
      if (!keys.has(id)) await learn()
      return keys.get(id)
    },
    async read(id) {
      let reading = readSessionId(id, keys)
      if (reading.kind === 'unknown-key' && (await learn())) reading = readSessionId(id, keys)
      return reading.kind === 'session' ? reading.session : undefined
    },
  }
}
