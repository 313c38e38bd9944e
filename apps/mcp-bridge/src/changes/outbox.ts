import type { JsonObject } from '@iii/protocol'

/** Notifications on their way to one client. Whatever it has not taken yet is kept once, however often it happens. */
export interface Outbox {
  add(method: string, params: JsonObject): void
}

/** @param send resolves when there is room for more; with false when nobody reads any more */
export function createOutbox(send: (method: string, params: JsonObject) => Promise<boolean>): Outbox {
  const waiting = new Map<string, readonly [method: string, params: JsonObject]>()
  let isSending = false

  async function empty(): Promise<void> {
    isSending = true
    for (const [key, [method, params]] of waiting) {
      waiting.delete(key)
      if (!(await send(method, params).catch(() => false))) waiting.clear()
    }
    isSending = false
  }

  return {
    add(method, params) {
      waiting.set(`${method} ${JSON.stringify(params)}`, [method, params])
      if (!isSending) void empty()
    },
  }
}
