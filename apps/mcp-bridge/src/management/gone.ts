/** Why things are not there any more, of those that went last. */
export interface Gone {
  note(id: string, reason: string): void
  forget(id: string): void
  /** The text for a client that names one that is not there. */
  explain(id: string): string
}

/** @param what they are, as a client reads it @param most so many are remembered */
export function createGone(what: string, most: number): Gone {
  const reasons = new Map<string, string>()
  return {
    note(id, reason) {
      reasons.set(id, reason)
      const [oldest] = reasons.keys()
      if (oldest !== undefined && reasons.size > most) reasons.delete(oldest)
    },
    forget: (id) => void reasons.delete(id),
    explain(id) {
      const reason = reasons.get(id)
      return `${what} not found: ${id.slice(0, 64)}${reason === undefined ? '' : ` (${reason})`}`
    },
  }
}
