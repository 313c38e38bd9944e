import type { ToClient } from '../mcp/params.ts'

/** Notifications on their way to one client. Whatever it has not taken yet is kept once, however often it happens. */
export interface NotificationOutbox {
  add(...told: ToClient): void
}

/** @param send resolves when there is room for more; with false when nobody reads any more */
export function createNotificationOutbox(send: (...told: ToClient) => Promise<boolean>): NotificationOutbox {
  const waiting = new Map<string, ToClient>()
  let isSending = false

  async function empty(): Promise<void> {
    isSending = true
    for (const [key, told] of waiting) {
      waiting.delete(key)
      if (!(await send(...told).catch(() => false))) waiting.clear()
    }
    isSending = false
  }

  return {
    add(...told) {
      waiting.set(JSON.stringify(told), told)
      if (!isSending) void empty()
    },
  }
}
