import { readResidentMiB } from '../soak/gauges.ts'
import { readCpuMs } from './cpu-time.ts'
import { LostReply } from './lost-reply.ts'

/** Many short rounds: whatever else the machine does meanwhile hits neighbours alike. */
const ROUNDS = 7
const ROUND_MS = 500
const WARM_UP_MS = 300

export interface BenchSubject {
  name: string
  /** Does the thing once. @throws LostReply when it was not answered, which is counted */
  run(): Promise<unknown>
  /** The process whose processor time and memory count, where they shall be told. */
  pid?: number
  /** Name of the subject that it is compared to. @default the first */
  floor?: string
}

export interface BenchFigures {
  name: string
  inFlight: number
  perSecond: number
  medianMs: number
  slowestMs: number
  /** How many were never answered. */
  lost: number
  /** Processor time of the process behind the subject, for one time. */
  cpuMs?: number
  /** Memory that the process behind the subject had at the end of a round, at most. */
  residentMb?: number
  /** What it reaches of its floor, and what it costs of it; for the floor itself both are 1. */
  ofFloor?: { perSecond: number; cpu?: number }
}

/** What came of one round. */
interface Round {
  perSecond: number
  medianMs: number
  slowestMs: number
  times: number
  lost: number
  cpuMs: number | undefined
  residentMb: number | undefined
}

/**
 * Measures subjects side by side: in each round every one gets its turn, and is compared to its floor in the same round, so that a
 * busy machine is unfair to all of them alike. The middle one of the rounds counts; of processor time, which is told in coarse steps,
 * the sum.
 */
export async function measure(subjects: readonly BenchSubject[], inFlight: number): Promise<BenchFigures[]> {
  for (const subject of subjects) await runFor(subject, inFlight, WARM_UP_MS)
  const rounds = new Map<string, Round[]>(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    // Whoever comes next pays for what the one before has left undone.
    const order = round % 2 === 0 ? subjects : [...subjects].reverse()
    for (const subject of order) rounds.get(subject.name)?.push(await runFor(subject, inFlight, ROUND_MS))
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
      lost: own.reduce((sum, { lost }) => sum + lost, 0),
      ...(cpuMs && { cpuMs }),
      ...(own[0]?.residentMb && { residentMb: Math.max(...own.map(({ residentMb = 0 }) => residentMb)) }),
      ofFloor: {
        perSecond: toMedian(own.map(({ perSecond }, at) => perSecond / (floors[at]?.perSecond ?? perSecond))),
        ...(cpuMs && floorCpuMs && { cpu: cpuMs / floorCpuMs }),
      },
    }
  })
}

/** Memory of a process, in units of 10⁶ bytes. */
export function readResidentMb(pid: number): number {
  return (readResidentMiB(pid) * 2 ** 20) / 1e6
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
export async function runFor({ run, pid }: BenchSubject, inFlight: number, ms: number): Promise<Round> {
  const times: number[] = []
  const readCpu = () => (pid === undefined ? undefined : readCpuMs(pid))
  const cpuBefore = readCpu()
  const start = performance.now()
  const end = start + ms
  // What is lost holds its lane up to its deadline, which is no part of what the others took.
  let answeredAt = start
  let lost = 0
  const lane = async () => {
    while (performance.now() < end) {
      const from = performance.now()
      if (await isAnswered(run)) {
        answeredAt = performance.now()
        times.push(answeredAt - from)
      } else lost += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const seconds = (answeredAt - start) / 1000
  const cpuAfter = readCpu()
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times[Math.floor(times.length * 0.99)] ?? 0,
    times: times.length,
    lost,
    cpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
    residentMb: pid === undefined ? undefined : readResidentMb(pid),
  }
}

async function isAnswered(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    if (error instanceof LostReply) return false
    throw error
  }
}
