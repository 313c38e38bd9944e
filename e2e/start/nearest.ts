/**
 * The candidate that somebody who wrote `word` most likely meant: one that holds the word or is held by it, and
 * otherwise the one with the fewest single-letter edits in between. The first one wins a tie.
 */
export function nearest(word: string, candidates: readonly [string, ...string[]]): string {
  const body = word.replace(/^-+/, '')
  const related = candidates.filter((candidate) => {
    const other = candidate.replace(/^-+/, '')
    return body.length > 1 && (other.includes(body) || body.includes(other))
  })
  const [first = candidates[0], ...others] = related.length > 0 ? related : candidates
  return others.reduce(
    (best, candidate) => (distance(word, candidate) < distance(word, best) ? candidate : best),
    first,
  )
}

/** Levenshtein distance, one row of the table at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
