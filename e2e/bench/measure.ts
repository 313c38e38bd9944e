/** How many calls to have in flight, and for how long. */
const ROUNDS = 3
const ROUND_MS = 1000
const WARM_UP_MS = 300

export interface Subject {
  name: string
  /** Does the thing once. */
  run(): Promise<unknown>
}

export interface Figures {
  name: string
  inFlight: number
  perSecond: number
  medianMs: number
  slowestMs: number
}

/**
 * Measures subjects side by side: in each round every one gets its turn, so that a busy machine is unfair to all of
 * them alike, and the middle one of the rounds counts. The first subject is the floor that the others are compared to.
 */
export async function measure(subjects: readonly Subject[], inFlight: number): Promise<Figures[]> {
  for (const subject of subjects) await runFor(subject, inFlight, WARM_UP_MS)
  const rounds: Figures[][] = subjects.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, subject] of subjects.entries()) rounds[index]?.push(await runFor(subject, inFlight, ROUND_MS))
  }
  return rounds.flatMap((figures) => {
    const sorted = figures.sort((a, b) => a.perSecond - b.perSecond)
    return sorted[Math.floor(sorted.length / 2)] ?? []
  })
}

async function runFor({ name, run }: Subject, inFlight: number, ms: number): Promise<Figures> {
  const times: number[] = []
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
  times.sort((a, b) => a - b)
  return {
    name,
    inFlight,
    perSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestMs: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}
