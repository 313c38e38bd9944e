import { RESERVED_SKILL_ROOTS } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENGINE_WORDS, type EngineUri, parseEngineUri } from './address.ts'

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

  it('begins with a word that no skill can have', () => {
    expect([...ENGINE_WORDS, 'skills'].toSorted()).toEqual([...RESERVED_SKILL_ROOTS].toSorted())
  })
})
