import { setTimeout as pause } from 'node:timers/promises'

const BETWEEN_LOOKS_MS = 25

export interface UntilOptions {
  /** What is waited for, as it reads in the error: "the port to answer". */
  what: string
  /** @default 20_000 */
  deadlineMs?: number
  signal?: AbortSignal
}

/**
 * Looks again and again until `fact` returns something other than undefined or false, and returns that. A look that
 * throws counts as "not yet", and its error is told when the deadline passes.
 */
export async function until<T>(
  fact: () => Promise<T | undefined | false> | T | undefined | false,
  options: UntilOptions,
): Promise<T> {
  const deadlineMs = options.deadlineMs ?? 20_000
  const end = performance.now() + deadlineMs
  for (;;) {
    const look = await lookOnce(fact)
    if (look.value !== undefined && look.value !== false) return look.value
    options.signal?.throwIfAborted()
    if (performance.now() > end) {
      throw new Error(`Waited ${deadlineMs / 1000} s in vain for ${options.what}${look.error ? `: ${look.error}` : ''}`)
    }
    await pause(BETWEEN_LOOKS_MS)
  }
}

async function lookOnce<T>(fact: () => Promise<T> | T): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await fact() }
  } catch (error) {
    return { error }
  }
}
