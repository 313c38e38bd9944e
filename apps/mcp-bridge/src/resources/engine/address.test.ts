import { RESERVED_SKILL_ROOTS } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENGINE_WORDS, type EngineUri, parseEngineUri, toUsualSpelling } from './address.ts'

describe('an address of the engine', () => {
  it.each<[string, EngineUri | undefined]>([
    ['iii://functions', { kind: 'page', word: 'functions' }],
    ['iii://context', { kind: 'page', word: 'context' }],
    ['iii://functions/orders::create', { kind: 'item', word: 'functions', id: 'orders::create' }],
    ['iii://functions/orders%3A%3Acreate', { kind: 'item', word: 'functions', id: 'orders::create' }],
    ['iii://workers/a/b', { kind: 'item', word: 'workers', id: 'a/b' }],
    ['iii://functions/', { kind: 'nothing' }],
    ['iii://context/x', { kind: 'nothing' }],
    ['iii://functions/%zz', { kind: 'nothing' }],
    ['iii://functions/\ud800', { kind: 'nothing' }],
    [`iii://functions/${'x'.repeat(1_100)}`, { kind: 'nothing' }],
    ['iii://functionsx', undefined],
    ['iii://skills', undefined],
    ['III://functions', undefined],
    ['iii://fn/functions', undefined],
    ['xiii://functions', undefined],
  ])('is read: %s', (uri, address) => {
    expect(parseEngineUri(uri)).toEqual(address)
  })

  it('may hold any id, written as templates are filled in', () => {
    const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }).filter((id) => id.isWellFormed())
    fc.assert(
      fc.property(ids, fc.constantFrom('functions', 'workers', 'triggers'), (id, word) => {
        const uri = `iii://${word}/${encodeURIComponent(id)}`
        expect(parseEngineUri(uri)).toEqual({ kind: 'item', word, id })
      }),
    )
  })

  it.each([
    ['iii://functions/orders::create', 'iii://functions/orders::create'],
    ['iii://functions/orders%3A%3Acreate', 'iii://functions/orders%3A%3Acreate'],
    ['iii://functions/a%20b::create', 'iii://functions/a%20b::create'],
    ['iii://functions/%6frders::create', 'iii://functions/orders%3A%3Acreate'],
    ['iii://functions/orders:%3acreate', 'iii://functions/orders%3A%3Acreate'],
    ['iii://functions/@shop/orders::create', 'iii://functions/@shop/orders::create'],
    ['iii://functions/@shop/%6frders::create', 'iii://functions/@shop/orders%3A%3Acreate'],
    ['iii://functions/%40shop/orders', 'iii://functions/%40shop%2Forders'],
    ['iii://functions', 'iii://functions'],
    ['iii://functions/%zz', 'iii://functions/%zz'],
    ['iii://orders/%6f', 'iii://orders/%6f'],
  ])('is followed as it is usually written: %s', (uri, usual) => {
    expect(toUsualSpelling(uri)).toBe(usual)
    expect(toUsualSpelling(usual)).toBe(usual)
    expect(parseEngineUri(usual)).toEqual(parseEngineUri(uri))
  })

  it('is followed under few spellings, each of which leads where all do', () => {
    const ids = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((id) => !id.startsWith('@'))
    const masks = fc.array(fc.infiniteStream(fc.boolean()), { minLength: 10, maxLength: 20 })
    const toEscapes = (char: string) => [...Buffer.from(char)].map((byte) => `%${byte.toString(16)}`).join('')
    const spell = (id: string, mask: Iterator<boolean>) =>
      [...id].map((char) => (mask.next().value === true || char === '%' ? toEscapes(char) : char)).join('')
    fc.assert(
      fc.property(ids, masks, (id, all) => {
        const uris = all.map((mask) => `iii://functions/${spell(id, mask)}`)
        const usual = new Set(uris.map(toUsualSpelling))
        expect(usual.size).toBeLessThanOrEqual(3)
        for (const uri of usual) expect(parseEngineUri(uri)).toEqual({ kind: 'item', word: 'functions', id })
      }),
    )
  })

  it('begins with a word that no skill can have', () => {
    expect([...ENGINE_WORDS, 'skills'].toSorted()).toEqual([...RESERVED_SKILL_ROOTS].toSorted())
  })
})
