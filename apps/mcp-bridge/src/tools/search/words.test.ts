import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toQueryWords, toWords } from './words.ts'

describe('the words of a text', () => {
  it.each([
    ['orders::create', ['order', 'creat', 'orderscreate']],
    ['customer_id', ['customer', 'id', 'customerid']],
    ['createHTTPServer2', ['creat', 'http', 'server', '2', 'createhttpserver2']],
    ['Überweisung für Müller', ['uberweisung', 'fur', 'muller']],
    ['日本語', ['日本', '本語']],
    ['— … !', []],
  ])('of %j are %j', (text, words) => {
    expect(toWords(text)).toEqual(words)
  })

  it.each([
    ['cancel', ['cancels', 'cancelled', 'cancelling', 'cancellation']],
    ['create', ['creates', 'created', 'creating', 'creation']],
    ['ship', ['ships', 'shipped', 'shipping', 'shipment']],
    ['notify', ['notifies', 'notified', 'notification']],
    ['update', ['updates', 'updated', 'updating']],
    ['box', ['boxes']],
    ['status', ['status']],
  ])('of %s and %j are the same', (word, forms) => {
    const [root] = toWords(word)
    expect(forms.map((form) => toWords(form)[0])).toEqual(forms.map(() => root))
  })

  it('of a question leave out what says nothing of what is wanted, and what is said twice', () => {
    expect(toQueryWords('I want a tool that refunds the refund')).toEqual(['refund'])
    expect(toQueryWords('what is it?')).toEqual([])
  })

  it('are not made of what a character stands for without end', () => {
    const letters = '\uFDFA'.repeat(1_000)
    expect(toWords(letters).join('').length).toBeLessThanOrEqual(2 * letters.length)
    expect(toQueryWords('\uFB01le')).toEqual(toQueryWords('file'))
  })

  it('are never more than a text has room for, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const word of toWords(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]{1,200}$/u)
      }),
    )
  })
})
