import type { AuthSettings } from '../auth/settings/auth-block.ts'

/**
 * Whom settings let in without a token. `nobody`: all have to show one. `granted`: whoever has none gets a grant. `told`: everybody, as
 * somebody has written (a proxy in front asks). `untold`: everybody, and nobody has said so.
 */
export type Openness = 'nobody' | 'granted' | 'told' | 'untold'

export function toOpenness({ auth }: { readonly auth: AuthSettings | undefined }): Openness {
  if (auth === undefined) return 'untold'
  if (auth.mode === 'off') return 'told'
  return auth.anonymous === undefined ? 'nobody' : 'granted'
}

const ORDER: readonly Openness[] = ['nobody', 'granted', 'told', 'untold']

/** Does one let in more than the other? What is written and what is not are alike in that. */
export function isMoreOpen(one: Openness, other: Openness): boolean {
  const rank = (openness: Openness) => Math.min(ORDER.indexOf(openness), ORDER.indexOf('told'))
  return rank(one) > rank(other)
}

const WORDS: Readonly<Record<Openness, string>> = {
  nobody: 'asks callers for a token',
  granted: 'gives callers without a token a grant',
  told: 'asks nobody who they are (auth: { mode: off })',
  untold: 'asks nobody who they are',
}

/** @example formatOpenness('nobody') // 'asks callers for a token' */
export function formatOpenness(openness: Openness): string {
  return WORDS[openness]
}
