import { distance } from 'fastest-levenshtein'

/**
 * What was most likely meant by `name`: a candidate that differs by a slip, at most a quarter of the letters, else one that
 * holds it or is held by it, else one that differs by at most two letters or a third of the name. Of several the one that
 * differs least, then the one with the same letters, for letters change places; the first one wins a tie.
 *
 * @example
 * findNearest('--port', ['--http-port', '--data']) // '--http-port'
 * findNearest('--engin-url', ['--url', '--engine-url']) // '--engine-url'
 * findNearest('--ulr', ['--url', '--config']) // '--url'
 */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const word = name.toLowerCase()
  const ranked = [...candidates]
    .map((candidate) => {
      const other = candidate.toLowerCase()
      return { candidate, off: distance(word, other), strange: distance(sorted(word), sorted(other)) }
    })
    .sort((a, b) => a.off - b.off || a.strange - b.strange)
  const slip = ranked.find(({ off }) => off <= Math.floor(bare(word).length / 4))
  const related = ranked.find(({ candidate }) => isRelated(bare(word), bare(candidate.toLowerCase())))
  const near = ranked.find(({ off }) => off <= Math.max(2, Math.floor(name.length / 3)))
  return (slip ?? related ?? near)?.candidate
}

function isRelated(word: string, other: string): boolean {
  return word.length > 1 && other.length > 1 && (other.includes(word) || word.includes(other))
}

function sorted(word: string): string {
  return [...word].sort().join('')
}

function bare(flag: string): string {
  return flag.replace(/^-+/, '')
}
