import { readCpuMs } from './cpu-time.ts'

/** Many short rounds: whatever else the machine does meanwhile hits neighbours alike. */
const ROUNDS = 7
const ROUND_MS = 500
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

/** What came of one round. */
interface Round {
  perSecond: number
  medianMs: number
  slowestMs: number
  times: number
  cpuMs: number | undefined
}

/**
 * Measures subjects side by side: in each round every one gets its turn, and is compared to its floor in the same round, so that a
 * busy machine is unfair to all of them alike. The middle one of the rounds counts; of processor time, which is told in coarse steps,
 * the sum.
 */
export async function measure(subjects: readonly Subject[], inFlight: number): Promise<Figures[]> {
  for (const subject of subjects) await runFor(subject, inFlight, WARM_UP_MS)
  const rounds = new Map<string, Round[]>(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) rounds.get(subject.name)?.push(await runFor(subject, inFlight, ROUND_MS))
  }
  return subjects.map(({ name, floor = subjects[0]?.name ?? name }) => {
    const own = rounds.get(name) ?? []
    const floors = rounds.get(floor) ?? []
    const cpuMs = toCpuMs(own)
    const floorCpuMs = toCpuMs(floors)
    return {
      name,
      inFlight,
      perSecond: toMedian(own.map(({ perSecond }) => perSecond)),
      medianMs: toMedian(own.map(({ medianMs }) => medianMs)),
      slowestMs: toMedian(own.map(({ slowestMs }) => slowestMs)),
      ...(cpuMs && { cpuMs }),
      ofFloor: {
        perSecond: toMedian(own.map(({ perSecond }, at) => perSecond / (floors[at]?.perSecond ?? perSecond))),
        ...(cpuMs && floorCpuMs && { cpu: cpuMs / floorCpuMs }),
      },
    }
  })
}

export function toMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Processor time for one time; undefined where it is not told. */
function toCpuMs(rounds: readonly Round[]): number | undefined {
  if (rounds.some(({ cpuMs }) => cpuMs === undefined)) return undefined
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  return sum(({ cpuMs }) => cpuMs ?? 0) / sum(({ times }) => times)
}

/** One round: as many times as there is room for, so many at once. */
export async function runFor({ run, pid }: Subject, inFlight: number, ms: number): Promise<Round> {
  const times: number[] = []
  const readCpu = () => (pid === undefined ? undefined : readCpuMs(pid))
  const cpuBefore = readCpu()
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
  const cpuAfter = readCpu()
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times[Math.floor(times.length * 0.99)] ?? 0,
    times: times.length,
    cpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
  }
}
