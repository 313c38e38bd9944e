import { distance } from 'fastest-levenshtein'

/**
 * What was most likely meant: the candidate that differs least, if by no more than two letters or a third of the name; else
 * one that begins with it.
 *
 * @example
 * findNearest('--prot', ['--port', '--data']) // '--port'
 */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, off: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.off - b.off)
  const near = ranked.find(({ off }) => off <= Math.max(2, Math.floor(name.length / 3)))
  const begun = ranked.find(({ candidate }) => name.length > 2 && candidate.startsWith(name))
  return (begun ?? near)?.candidate
}
