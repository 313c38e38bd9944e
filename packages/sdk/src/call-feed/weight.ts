const MAX_CHARACTERS = 8 * 1024
/** What each part of a value counts for, however short it is. */
const PART = 32

/** Whether a JSON value is small, by a look at no more of it than that. */
export function isLight(value: unknown): boolean {
  return leave(MAX_CHARACTERS, value) >= 0
}

/** @returns what is left of the room, negative when it is too little */
function leave(room: number, value: unknown): number {
  if (typeof value === 'string') return room - value.length
  if (typeof value !== 'object' || value === null) return room
  let left = room
  for (const key in value) {
    left = leave(left - PART - key.length, (value as Record<string, unknown>)[key])
    if (left < 0) break
  }
  return left
}
