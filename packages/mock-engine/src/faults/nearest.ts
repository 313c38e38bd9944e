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

/** How many letters have to be put in, left out or replaced to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const kept = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
