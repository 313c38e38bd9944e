import { z } from 'zod'
import type { Principal } from './principal.ts'

/**
 * What one bridge tells another on the engine of a caller that it has let in. It is a claim like all on the bus, and counts for one thing
 * alone: as whom a call goes on that the same principal has begun. A worker that makes one up could call that function itself.
 */
export type ToldPrincipal = z.infer<typeof ToldPrincipal>
export const ToldPrincipal = z.object({
  id: z.string(),
  method: z.enum(['off', 'anonymous', 'token', 'jwt', 'stdio', 'bus']),
  grant: z
    .object({
      name: z.string(),
      tiers: z.array(z.string()).optional(),
      scopes: z.array(z.string()),
      skills: z.array(z.string()).optional(),
      tools: z.enum(['all', 'search']).optional(),
      runs: z.enum(['own', 'all']),
      management: z.boolean(),
    })
    .optional(),
  scopes: z.array(z.string()),
  issuer: z.string().exactOptional(),
  subject: z.string().exactOptional(),
  claims: z.record(z.string(), z.unknown()).exactOptional(),
  expiresAt: z.number().optional(),
})

export function tellPrincipal({ asOfNow: _, ...told }: Principal): object {
  return told
}

/** @returns undefined for what is none */
export function readToldPrincipal(value: unknown): Principal | undefined {
  const { data } = ToldPrincipal.safeParse(value)
  if (data === undefined) return undefined
  const { grant, expiresAt, ...rest } = data
  return {
    ...rest,
    expiresAt,
    grant: grant && { ...grant, tiers: grant.tiers, skills: grant.skills, tools: grant.tools },
  }
}

/** Whoever has answered, where it is the one who began: its rights may be other ones by now. */
export function toAnswering(began: Principal, answered: Principal | undefined): Principal {
  return answered?.id === began.id ? answered : began
}
