import { readCpuMs } from './cpu-time.ts'
import { CALLS_PER_ROUND, compareInTurns, judgeRatios } from './interleaved.ts'
import type { BenchSubject } from './measure.ts'

/** Two bridges whose calls are compared: in the other half the other one has what is measured, so that no process has it better by luck. */
export interface ComparedBridge {
  readonly subject: BenchSubject
}

/** How many times as long a call took, a round each, and how many times as much processor time of the bridge. */
export interface Half {
  readonly ratios: readonly number[]
  readonly cpu: number
  /** How many milliseconds of it a call took more. */
  readonly moreMs: number
}

const ROUNDS = 15
const MOST = 1.05

/** @param more the one with what is measured */
export async function measureHalf(more: ComparedBridge, less: ComparedBridge): Promise<Half> {
  const before = [more, less].map(readCpu)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) ratios.push(await compareInTurns(more.subject, less.subject))
  const [most = Number.NaN, least = Number.NaN] = [more, less].map((side, at) => readCpu(side) - (before[at] ?? 0))
  return { ratios, cpu: most / least, moreMs: (most - least) / (ROUNDS * CALLS_PER_ROUND) }
}

/** What both halves say. */
export function formatHalves(title: string, halves: readonly Half[]): string {
  const { ratios, median, bound } = judgeRatios(halves.flatMap((half) => half.ratios))
  const toMean = (of: (half: Half) => number) => halves.reduce((sum, half) => sum + of(half), 0) / halves.length
  const [cpu, moreMs] = [toMean((half) => half.cpu), toMean((half) => half.moreMs)]
  return [
    `\n${title}`,
    `${ratios.length} rounds: median ratio ${median.toFixed(3)}, upper 95 % bound ${bound.toFixed(3)}, ${bound < MOST ? '' : 'NOT '}below ${MOST}`,
    `processor time of the bridge for a call: ${cpu.toFixed(3)} times as much, ${moreMs.toFixed(3)} ms more\n`,
  ].join('\n')
}

function readCpu({ subject: { pid } }: ComparedBridge): number {
  return (pid === undefined ? undefined : readCpuMs(pid)) ?? Number.NaN
}
