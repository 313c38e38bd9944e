import type { Told } from './batch.ts'

/** What was told and is not written yet, the oldest first. */
export interface Waiting {
  readonly length: number
  /** @returns false where there is no room for it */
  push(told: Told): boolean
  first(count: number): Told[]
  drop(count: number): void
}

/** Of all inputs that wait; calls that come then are kept without theirs. */
const MAX_INPUT_BYTES = 32 * 1024 * 1024

/** @param max so many may wait */
export function createWaiting(max: number): Waiting {
  let all: Told[] = []
  let inputBytes = 0

  return {
    get length() {
      return all.length
    },
    push(told) {
      if (all.length >= max) return false
      const hasRoom = inputBytes + toInputBytes(told) <= MAX_INPUT_BYTES
      const kept = hasRoom ? told : withoutInput(told)
      inputBytes += toInputBytes(kept)
      all.push(kept)
      return true
    },
    first: (count) => all.slice(0, count),
    drop(count) {
      inputBytes -= all.slice(0, count).reduce((sum, told) => sum + toInputBytes(told), 0)
      all = all.slice(count)
    },
  }
}

function toInputBytes(told: Told): number {
  return told.gap !== undefined || told.call.input === undefined ? 0 : told.call.bytes_in
}

function withoutInput(told: Told): Told {
  return told.gap === undefined ? { call: { ...told.call, input: undefined } } : told
}
