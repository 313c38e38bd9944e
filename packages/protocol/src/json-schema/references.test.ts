import { describe, expect, it } from 'vitest'
import { explainReferences } from './references.ts'

/** A chain of subschemas, each a reference to the next one, and how often they were read. */
function makeChain(length: number) {
  let reads = 0
  const links = Array.from({ length }, (_, index) => {
    const link = { type: 'object' }
    const get = () => {
      reads += 1
      return index === length - 1 ? undefined : `#/$defs/${index + 1}`
    }
    return Object.defineProperty(link, '$ref', { get, enumerable: true })
  })
  const references = links.map((_, index) => `#/$defs/${index}`)
  return { root: { $defs: { ...links } }, references, readsOf: () => reads }
}

describe('references that lead on to each other', () => {
  it('are followed once each, however long their chain is', () => {
    const { references, readsOf, root } = makeChain(500)
    expect(explainReferences({ $defs: root.$defs }, references, new Map())).toBeUndefined()
    // Spreading reads each once, too.
    expect(readsOf()).toBeLessThanOrEqual(1_000)
  })

  it('are refused where they end nowhere, leave the schema on their way or go round', () => {
    const explain = ($defs: Record<string, unknown>, ...references: string[]) =>
      explainReferences({ $defs }, references, new Map())
    expect(explain({ a: { $ref: '#/$defs/b' } }, '#/$defs/a')).toBe('the reference "#/$defs/a" leads to no schema')
    expect(explain({ a: { $ref: 'x/$defs/b' }, b: {} }, '#/$defs/a', 'x/$defs/b')).toBe(
      'the reference "x/$defs/b" leads out of the schema',
    )
    expect(explain({ a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, '#/$defs/a')).toBe(
      'the reference "#/$defs/a" goes round in a circle',
    )
  })
})
