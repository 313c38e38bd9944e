import { readCpuMs } from './cpu-time.ts'

/** How many calls to have in flight, and for how long. */
const ROUNDS = 3
const ROUND_MS = 1000
const WARM_UP_MS = 300

export interface Subject {
  name: string
  /** Does the thing once. */
  run(): Promise<unknown>
  /** The process whose processor time counts, where it shall be told. */
  pid?: number
  /** Name of the subject that it is compared to. @default the first */
  floor?: string
}

export interface Figures {
  name: string
  inFlight: number
  perSecond: number
  medianMs: number
  slowestMs: number
  /** Processor time of the process behind the subject, for one time. */
  cpuMs?: number
  /** What it reaches of its floor, and what it costs of it; for the floor itself both are 1. */
  ofFloor?: { perSecond: number; cpu?: number }
}

/**
 * Measures subjects side by side: in each round every one gets its turn, so that a busy machine is unfair to all of
 * them alike, and the middle one of the rounds counts. Each is compared to its floor.
 */
export async function measure(subjects: readonly Subject[], inFlight: number): Promise<Figures[]> {
  for (const subject of subjects) await runFor(subject, inFlight, WARM_UP_MS)
  const rounds: Figures[][] = subjects.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, subject] of subjects.entries()) rounds[index]?.push(await runFor(subject, inFlight, ROUND_MS))
  }
  const middles = rounds.flatMap((figures) => {
    const sorted = figures.sort((a, b) => a.perSecond - b.perSecond)
    return sorted[Math.floor(sorted.length / 2)] ?? []
  })
  return middles.map((figures, index) => {
    const floor = middles.find(({ name }) => name === subjects[index]?.floor) ?? middles[0] ?? figures
    return { ...figures, ofFloor: compare(figures, floor) }
  })
}

function compare(figures: Figures, floor: Figures): { perSecond: number; cpu?: number } {
  const perSecond = figures.perSecond / floor.perSecond
  if (!figures.cpuMs || !floor.cpuMs) return { perSecond }
  return { perSecond, cpu: figures.cpuMs / floor.cpuMs }
}

async function runFor({ name, run, pid }: Subject, inFlight: number, ms: number): Promise<Figures> {
  const times: number[] = []
  const cpuBefore = pid === undefined ? undefined : readCpuMs(pid)
  const start = performance.now()
  const end = start + ms
  const lane = async () => {
    while (performance.now() < end) {
      const from = performance.now()
      await run()
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const seconds = (performance.now() - start) / 1000
  const cpuAfter = pid === undefined ? undefined : readCpuMs(pid)
  times.sort((a, b) => a - b)
  return {
    name,
    inFlight,
    perSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times[Math.floor(times.length * 0.99)] ?? 0,
    ...(cpuBefore !== undefined && cpuAfter !== undefined && { cpuMs: (cpuAfter - cpuBefore) / times.length }),
  }
}
