import type { Logger } from '@iii/sdk'
import type { ListKind, McpCall } from '../mcp/call.ts'
import { RegistrySilence } from '../resources/registry.ts'

/** What clients list while the registry says nothing: what there is without it, and later that it is whole again. */
export interface TimelyLists {
  /** @param rest what the list is without the registry */
  toTimely<T>(kind: ListKind, whole: List<T>, rest: List<T>): List<T>
  close(): void
}

type List<T> = (call: McpCall) => Promise<T>

export interface TimelyListsOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** The registry answers again, and clients were given less than this list meanwhile. */
  readonly onWhole: (kind: ListKind) => void
  /** So long a list waits: less than hosts wait that start with it. */
  readonly patienceMs: number
}

/** Until it is asked again. */
const RETRY_MS = 2_000

export function createTimelyLists({ log, onWhole, patienceMs }: TimelyListsOptions): TimelyLists {
  /** How to find out, by what clients were given too little of. */
  const owed = new Map<ListKind, () => Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined

  function owe(kind: ListKind, ask: () => Promise<unknown>): void {
    if (owed.size === 0) {
      log.warn(`the registry does not answer within ${patienceMs} ms: lists are without what it has until it does`)
      arm()
    }
    owed.set(kind, ask)
  }

  function arm(): void {
    clearTimeout(timer)
    timer = setTimeout(() => void retry(), RETRY_MS).unref()
  }

  async function retry(): Promise<void> {
    for (const [kind, ask] of [...owed]) {
      const isSilent = await ask().then(
        () => false,
        (error: unknown) => error instanceof RegistrySilence,
      )
      if (isSilent || !owed.delete(kind)) continue
      onWhole(kind)
    }
    if (owed.size > 0) arm()
    else if (timer !== undefined) log.info('the registry answers again')
  }

  return {
    toTimely: (kind, whole, rest) => async (call) => {
      const { limits } = call
      const hurried = { ...call, limits: { ...limits, plainMs: Math.min(limits.plainMs, patienceMs) } }
      try {
        return await whole(hurried)
      } catch (error) {
        if (!(error instanceof RegistrySilence)) throw error
        owe(kind, () => whole(hurried))
        return rest(call)
      }
    },
    close() {
      clearTimeout(timer)
      timer = undefined
      owed.clear()
    },
  }
}
