import { describe, expect, it } from 'vitest'
import { createNotebook, formatNotes, MAX_NOTES, splitWords } from './notebook.ts'

describe('the notebook', () => {
  it('finds the notes that have all words, whatever their case', () => {
    const book = createNotebook()
    book.add('Water the plants')
    book.add('Plants like rain water')
    book.add('Call the bank')
    expect(book.find('WATER plants').map(({ id }) => id)).toEqual([1, 2])
    expect(book.find('bank').map(({ id }) => id)).toEqual([3])
    expect(book.find('  ')).toHaveLength(3)
    expect(book.find('nothing')).toEqual([])
  })

  it('is full at some point', () => {
    const book = createNotebook()
    for (let count = 0; count < MAX_NOTES; count += 1) expect(book.add('one')).toBeDefined()
    expect(book.add('one more')).toBeUndefined()
    expect(book.notes).toHaveLength(MAX_NOTES)
  })

  it('reads as a list', () => {
    expect(formatNotes([])).toBe('There are no notes.')
    expect(formatNotes([{ id: 1, text: 'a' }])).toBe('1. a')
    expect(splitWords(' Some  words\n')).toEqual(['some', 'words'])
  })
})
