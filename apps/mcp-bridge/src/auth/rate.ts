/** Counts what each has asked for lately. */
export interface Rate {
  /** @returns how many seconds to wait, at least 1; undefined where it may go on, and is counted */
  take(id: string, allowed: Allowance): number | undefined
  /** The same, and counts nothing. */
  peek(id: string, allowed: Allowance): number | undefined
  /** How many it remembers. */
  readonly size: number
}

/** A bucket that holds `burst`, and fills at `perSecond`. */
export interface Allowance {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  readonly level: number
  readonly at: number
}

const MAX_REMEMBERED = 10_000

/** @param now in milliseconds, of a clock that never goes back */
export function createRate(now: () => number = () => performance.now()): Rate {
  const buckets = new Map<string, Bucket>()

  function fill({ level, at }: Bucket, { perSecond, burst }: Allowance): number {
    return Math.min(burst, level + ((now() - at) / 1_000) * perSecond)
  }

  function levelOf(id: string, allowed: Allowance): number {
    const bucket = buckets.get(id)
    return bucket === undefined ? allowed.burst : fill(bucket, allowed)
  }

  function peek(id: string, allowed: Allowance): number | undefined {
    const level = levelOf(id, allowed)
    return level < 1 ? Math.max(1, Math.ceil((1 - level) / allowed.perSecond)) : undefined
  }

  function take(id: string, allowed: Allowance): number | undefined {
    const level = levelOf(id, allowed)
    if (level < 1) return peek(id, allowed)
    // Who asked for something last is forgotten last: by then its bucket is full again, or it is one of very many.
    buckets.delete(id)
    buckets.set(id, { level: level - 1, at: now() })
    if (buckets.size > MAX_REMEMBERED) buckets.delete(buckets.keys().next().value ?? '')
    return undefined
  }

  return {
    take,
    peek,
    get size() {
      return buckets.size
    },
  }
}
