/** A note, as the server shows it. */
export interface Note {
  readonly id: number
  readonly text: string
}

/** Notes in the memory of one process: nothing is written anywhere. */
export interface Notebook {
  /** @returns the note, or undefined when there is no room for another one */
  add(text: string): Note | undefined
  /** Those that have all of the words, whatever their case. */
  find(words: string): readonly Note[]
  readonly notes: readonly Note[]
}

/** Text of a note, in characters. */
export const MAX_TEXT = 2000
export const MAX_NOTES = 1000

export function createNotebook(): Notebook {
  const notes: Note[] = []
  return {
    notes,
    add(text) {
      if (notes.length >= MAX_NOTES) return undefined
      const note = { id: notes.length + 1, text }
      notes.push(note)
      return note
    },
    find(words) {
      const wanted = splitWords(words)
      return notes.filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)))
    },
  }
}

export function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

export function formatNotes(notes: readonly Note[]): string {
  return notes.length === 0 ? 'There are no notes.' : notes.map(({ id, text }) => `${id}. ${text}`).join('\n')
}
