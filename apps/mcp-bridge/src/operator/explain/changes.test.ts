import { type ExposureRules, refuse, type Via } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import { findChanges } from './changes.ts'
import { judge } from './verdict.ts'

const OPEN: ExposureRules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }

describe('what would show a function', () => {
  it('is one change where one is enough, each way by itself', () => {
    expect(findChanges({ id: 'a::b', metadata: {} }, { ...OPEN, requireExpose: true }, 'tool')).toEqual([
      'set mcp.expose: true in its metadata',
      'start the bridge without require_expose',
    ])
  })

  it('is several together where one is not', () => {
    const rules = { ...OPEN, tier: 'ops', hiddenPrefixes: ['a::', 'b'] }
    expect(findChanges({ id: 'a::b', metadata: { internal: true, 'mcp.expose': true } }, rules, 'tool')).toEqual([
      "take internal: true out of its metadata and set mcp.tier: 'ops' in its metadata and take 'a::' out of hidden_prefixes",
      "take internal: true out of its metadata and take 'a::' out of hidden_prefixes and start the bridge without a tier",
    ])
  })

  it('is, for an address of a function that says it changes something, what it says of itself', () => {
    const way = 'set readOnlyHint: true and no destructiveHint in its annotations, if it only reads'
    const metadata = { mcp: { annotations: { destructiveHint: true, readOnlyHint: false } } }
    expect(findChanges({ id: 'a::b', metadata }, OPEN, 'section')).toEqual([way])
    expect(findChanges({ id: 'a::b', metadata: { ...metadata, 'mcp.expose': false } }, OPEN, 'section')).toEqual([
      `set mcp.expose: true in its metadata and ${way}`,
    ])
  })

  it('is nothing for an internal namespace', () => {
    expect(findChanges({ id: 'state::get', metadata: { 'mcp.expose': true } }, OPEN, 'tool')).toEqual([])
  })

  it('is asked for whenever the gate refuses, and found for every id outside of the floor', () => {
    const metadata = fc.oneof(
      fc.constant(undefined),
      fc.record(
        {
          internal: fc.boolean(),
          'mcp.expose': fc.oneof(fc.boolean(), fc.constant('yes'), fc.constant(null)),
          'mcp.tier': fc.constantFrom('ops', 'user', 5),
          'mcp.annotations': fc.record(
            { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
            { requiredKeys: [] },
          ),
          mcp: fc.record({ expose: fc.boolean(), tier: fc.constantFrom('ops', 'user') }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
    )
    const rules = fc.record({
      requireExpose: fc.boolean(),
      exposeAll: fc.boolean(),
      tier: fc.constantFrom(undefined, 'ops'),
      hiddenPrefixes: fc.subarray(['a', 'a::', 'b::', 'skill']),
    })
    const id = fc.constantFrom('a::b', 'b::c', 'skill::fetch', 'state::get', 'iii-x')
    fc.assert(
      fc.property(
        id,
        metadata,
        rules,
        fc.constantFrom<Via[]>('tool', 'section', 'prompt'),
        (name, facts, said, via) => {
          const verdict = judge({ id: name, metadata: facts }, said, via, EVERYBODY)
          expect(verdict.shown).toBe(refuse(name, facts, said, via) === undefined)
          if (!verdict.shown) expect(verdict.changes?.length === 0).toBe(['state::get', 'iii-x'].includes(name))
        },
      ),
      { numRuns: 300 },
    )
  })
})
