const EVERY_MS = 10
const WITHIN_MS = 10_000

/** Waits for a fact: asks again until the answer is what the test waits for. */
export async function untilAnswer<T>(ask: () => T | Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  const endsAt = Date.now() + WITHIN_MS
  for (;;) {
    const answer = await ask()
    if (isIt(answer)) return answer
    if (Date.now() > endsAt) throw new Error(`never came; the last answer was ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}
