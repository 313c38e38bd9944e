import type { UpdateOp } from '@iii/sdk'
import { z } from 'zod'

/** Who wants a lock: as it stands in the row. All of it is shown in texts and in commands to copy, so nothing else is a claim. */
export const LockClaim = z.object({
  /** Made anew for each claim: tells it from all others. */
  token: z.string().min(1),
  /** The function that is on the engine as long as the claiming process. */
  holder: z.string().regex(/^[\w:-]{1,128}$/),
  /** The run that it is for. */
  run: z.string().regex(/^[\w-]{1,64}$/),
  /** By the clock of who claims: to be shown, never compared. */
  since: z.iso.datetime(),
})
export type LockClaim = z.infer<typeof LockClaim>

/**
 * A row of `runs-locks`, read. For each generation n it has `c<n>`, the claims in the order in which they came, `b<n>`, a counter of the
 * beats of who holds it, and `e<n>`, the token of the claim that has ended.
 */
export interface LockRow {
  /** The generation that is open: one more than the highest that has ended. */
  readonly generation: number
  /** Whose it is; undefined when nobody has claimed it. */
  readonly held: Held | undefined
  /** All keys of generations by their number. */
  readonly keys: ReadonlyMap<string, number>
}

/** A claim that counts. */
export interface Held extends LockClaim {
  readonly generation: number
  readonly beats: number
}

const KEY = /^[bce]([1-9]\d{0,14})$/

/** @returns undefined for something that no lock can be: it was not us who wrote it */
export function parseLockRow(value: unknown): LockRow | undefined {
  if (value === undefined || value === null) return { generation: 1, held: undefined, keys: new Map() }
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const row = value as Record<string, unknown>
  const keys = new Map<string, number>()
  for (const key of Object.keys(row)) {
    const [, number] = KEY.exec(key) ?? []
    if (number !== undefined) keys.set(key, Number(number))
  }
  // An end counts for the claim that it names: one that comes late finds another claim in its place, or none.
  const ended = [...keys.values()].filter(
    (n) => row[`e${n}`] !== undefined && row[`e${n}`] === firstToken(row[`c${n}`]),
  )
  const generation = 1 + Math.max(0, ...ended)
  const claims = row[`c${generation}`]
  if (claims === undefined) return { generation, held: undefined, keys }
  const first = LockClaim.safeParse(Array.isArray(claims) ? claims[0] : undefined)
  if (!first.success) return undefined
  const beats = row[`b${generation}`]
  return { generation, held: { ...first.data, generation, beats: typeof beats === 'number' ? beats : 0 }, keys }
}

/** Whether that claim has the lock, by a row that the store has just returned. */
export function holds(row: LockRow | undefined, generation: number, token: string): boolean {
  return row?.generation === generation && row.held?.token === token
}

export function toClaimOps(generation: number, claim: LockClaim): UpdateOp[] {
  return [{ type: 'append', path: `c${generation}`, value: claim }]
}

export function toBeatOps(generation: number): UpdateOp[] {
  return [{ type: 'increment', path: `b${generation}`, by: 1 }]
}

/** Ends a claim, and removes what is left of generations that nobody can be in any more. */
export function toEndOps(row: LockRow, generation: number, token: string): UpdateOp[] {
  const old = [...row.keys].filter(([, n]) => n <= generation - 2)
  return [
    { type: 'set', path: `e${generation}`, value: token },
    ...old.map(([path]): UpdateOp => ({ type: 'remove', path })),
  ]
}

function firstToken(claims: unknown): unknown {
  return Array.isArray(claims) ? (claims[0] as { token?: unknown } | null)?.token : undefined
}
