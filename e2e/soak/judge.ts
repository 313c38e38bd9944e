import { layOut } from '../bench/table.ts'
import type { GaugeSample } from './gauges.ts'

/** What a process may log while nothing happens but that others come and go. */
const ALLOWED_LINES = 5
/** What garbage collection leaves open. */
const ALLOWED_GROWTH = { factor: 1.1, miB: 8 }
/** Fewer samples say nothing about memory. */
const LEAST_SAMPLES = 30

/** @param samples in their order, the first when everybody was there. @returns what grew that should not have, in sentences */
export function findGrowth(samples: readonly GaugeSample[]): string[] {
  const { first, last } = toEnds(samples)
  const growth: string[] = []
  for (const what of ['workers', 'sockets'] as const) {
    const [before, after] = [first, last].map((part) => Math.min(...part.map((sample) => sample[what] ?? 0)))
    if (before !== undefined && after !== undefined && after > before) {
      growth.push(`${what} of the engine: never fewer than ${before} in the beginning, than ${after} at the end`)
    }
  }
  for (const row of toRows(samples)) {
    const { name, lines, residentMiB } = row
    if (lines.after - lines.before > ALLOWED_LINES) {
      growth.push(`the log of ${name}: ${lines.before} lines in the beginning, ${lines.after} at the end`)
    }
    const limit = residentMiB.before * ALLOWED_GROWTH.factor + ALLOWED_GROWTH.miB
    if (samples.length >= LEAST_SAMPLES && residentMiB.after > limit) {
      const { before, after } = residentMiB
      growth.push(`the memory of ${name}: ${before.toFixed(0)} MiB half-way, ${after.toFixed(0)} MiB at the end`)
    }
  }
  return growth
}

/** What was seen, as a table for a terminal. */
export function formatSamples(title: string, samples: readonly GaugeSample[]): string {
  const { first, last } = toEnds(samples)
  const least = (part: readonly GaugeSample[], what: 'workers' | 'sockets') =>
    String(Math.min(...part.map((sample) => sample[what] ?? 0)))
  const rows = toRows(samples).map(({ name, lines, residentMiB }) => [
    ...[name, residentMiB.before.toFixed(0), residentMiB.after.toFixed(0), residentMiB.most.toFixed(0)],
    ...[String(lines.before), String(lines.after)],
  ])
  return [
    layOut(title, [['', 'MiB half-way', 'at the end', 'at most', 'lines before', 'after'], ...rows]),
    `workers of the engine ${least(first, 'workers')} → ${least(last, 'workers')}, `,
    `sockets ${least(first, 'sockets')} → ${least(last, 'sockets')}, ${samples.length} samples\n`,
  ].join('')
}

function toRows(samples: readonly GaugeSample[]) {
  const { first, middle, last } = toEnds(samples)
  return (samples[0]?.processes ?? []).map(({ name }, at) => {
    const memory = (part: readonly GaugeSample[]) => part.map(({ processes }) => processes[at]?.residentMiB ?? 0)
    return {
      name,
      residentMiB: { before: median(memory(middle)), after: median(memory(last)), most: Math.max(...memory(samples)) },
      lines: { before: first[0]?.processes[at]?.lines ?? 0, after: last.at(-1)?.processes[at]?.lines ?? 0 },
    }
  })
}

function toEnds(samples: readonly GaugeSample[]) {
  const third = Math.ceil(samples.length / 3)
  return { first: samples.slice(0, third), middle: samples.slice(third, 2 * third), last: samples.slice(-third) }
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
