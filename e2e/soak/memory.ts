/** What a process had, at a time. */
export interface MemorySample {
  readonly name: string
  readonly pid: number
  readonly at: number
  readonly residentMiB: number
}

/** How much a process of some age has grown. */
export interface Growth {
  readonly name: string
  /** The middle one of the samples of its eleventh to thirteenth minute, in MiB. */
  readonly early: number
  /** Of its last three minutes. */
  readonly late: number
  readonly minutes: number
}

const MINUTE_MS = 60_000
/** What is fetched once is there by then. */
const WARM_MINUTES = 10
const SPAN_MINUTES = 3

/** @returns for each process that lived long enough to say something, of each name the one that grew most */
export function findMemoryGrowth(samples: readonly MemorySample[]): Growth[] {
  const lives = new Map<string, MemorySample[]>()
  for (const sample of samples) {
    const life = lives.get(`${sample.name} ${sample.pid}`) ?? []
    life.push(sample)
    lives.set(`${sample.name} ${sample.pid}`, life)
  }
  const worst = new Map<string, Growth>()
  for (const life of lives.values()) {
    const growth = toGrowth(life)
    const known = growth && worst.get(growth.name)
    if (growth && (known === undefined || growth.late / growth.early > known.late / known.early)) {
      worst.set(growth.name, growth)
    }
  }
  return [...worst.values()]
}

function toGrowth(life: readonly MemorySample[]): Growth | undefined {
  const [first, last] = [life[0], life.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const begin = first.at + WARM_MINUTES * MINUTE_MS
  const end = last.at - SPAN_MINUTES * MINUTE_MS
  if (end < begin + SPAN_MINUTES * MINUTE_MS) return undefined
  const middle = (part: readonly MemorySample[]) =>
    part.map(({ residentMiB }) => residentMiB).sort((one, other) => one - other)[Math.floor(part.length / 2)] ?? 0
  return {
    name: first.name,
    early: middle(life.filter(({ at }) => at >= begin && at < begin + SPAN_MINUTES * MINUTE_MS)),
    late: middle(life.filter(({ at }) => at >= end)),
    minutes: (last.at - begin) / MINUTE_MS,
  }
}
