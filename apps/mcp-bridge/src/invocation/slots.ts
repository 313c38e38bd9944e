import type { Principal } from '../auth/principal.ts'
import type { McpCall, Share } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/**
 * Bounds how many calls are under way at once, so that a flood is turned away and not queued, and so that one client leaves room for
 * the others: a session has a quarter of the slots, like all callers without one together, and sessions that anybody can have for the
 * asking, which have not finished a request, have half of them together. Within that a principal has no more than its own limit.
 */
export interface Slots {
  /** Runs the work in a slot. @throws RpcError `overloaded`, before the work began, when there is none for its share */
  run<T>(holder: Holder, work: () => Promise<T>): Promise<T>
}

/** Whose call it is. */
type Holder = Pick<McpCall, 'share' | 'principal'>

interface Bound {
  readonly name: string
  readonly most: number
  /** What is said beyond it. */
  readonly text: string
}

/** @param limitOf what a principal may have under way */
export function createSlots(limit: number, limitOf: (principal: Principal) => number = () => limit): Slots {
  const taken = new Map<string, number>()
  const [quarter, half] = [Math.ceil(limit / 4), Math.ceil(limit / 2)]
  const all = {
    name: 'all',
    most: limit,
    text: `Too many calls at once: this server runs ${limit}; try again in a second`,
  }
  const attached = { ...all, name: 'attached' }
  const sessionless = {
    name: 'sessionless',
    most: quarter,
    text: `Too many calls at once: callers without a session have ${quarter} under way together, which is their share; try again in a second`,
  }
  const unproven = {
    name: 'unproven',
    most: half,
    text: `Too many calls at once: sessions that have not finished a request have ${half} under way together; send a ping, then try again`,
  }
  const toOwn = (handle: string): Bound => ({
    name: `session ${handle}`,
    most: quarter,
    text: `Too many calls at once: this session has ${quarter} under way, which is its share; try again when one of them is over`,
  })

  function toBounds(share: Share): readonly Bound[] {
    if (share.kind === 'admitted') return []
    if (share.kind === 'attached') return [attached]
    if (share.kind === 'sessionless') return [sessionless, all]
    const own = toOwn(share.handle)
    return share.hasFinishedARequest() ? [own, all] : [own, unproven, all]
  }

  /** Whoever is known has a limit in the place of the share of those who are not. */
  function toBoundsOf({ share, principal }: Holder): readonly Bound[] {
    if (principal.method === 'off' || share.kind === 'admitted' || share.kind === 'attached') return toBounds(share)
    const most = limitOf(principal)
    const text = `Too many calls at once: this caller has ${most} under way, which is its limit; try again when one of them is over`
    const own = { name: `principal ${principal.id}`, most, text }
    return share.kind === 'sessionless' ? [own, all] : [own, ...toBounds(share)]
  }

  function count({ name }: Bound, change: 1 | -1): void {
    const now = (taken.get(name) ?? 0) + change
    if (now > 0) taken.set(name, now)
    else taken.delete(name)
  }

  return {
    async run(holder, work) {
      const bounds = toBoundsOf(holder)
      const full = bounds.find(({ name, most }) => (taken.get(name) ?? 0) >= most)
      if (full !== undefined) throw new RpcError(RPC.overloaded, full.text)
      for (const bound of bounds) count(bound, 1)
      try {
        return await work()
      } finally {
        for (const bound of bounds) count(bound, -1)
      }
    },
  }
}
