/** Adds up what happens too often to be told one by one, and tells it once in a while. Nothing of it is lost, however often it happens. */
export interface AuditSums<What> {
  /** @param key what is the same counts together */
  add(key: string, what: What): void
  /** Tells what was added up so far. */
  flush(): void
}

export interface AuditSumsOptions<What> {
  readonly everyMs: number
  readonly tell: (what: What, count: number, since: Date) => void
  /** So many are told apart; then all are told at once. @default 10000 */
  readonly most?: number
}

interface Sum<What> {
  readonly what: What
  readonly since: Date
  count: number
}

export function createAuditSums<What>({ everyMs, tell, most = 10_000 }: AuditSumsOptions<What>): AuditSums<What> {
  let sums = new Map<string, Sum<What>>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const before = sums
    sums = new Map()
    for (const { what, count, since } of before.values()) tell(what, count, since)
  }

  function find(key: string, what: What): Sum<What> {
    const known = sums.get(key)
    if (known !== undefined) return known
    if (sums.size >= most) flush()
    const sum = { what, since: new Date(), count: 0 }
    sums.set(key, sum)
    return sum
  }

  return {
    add(key, what) {
      find(key, what).count += 1
      timer ??= setTimeout(flush, everyMs).unref()
    },
    flush,
  }
}
