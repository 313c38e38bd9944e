import type { SkillChange } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { mergeChanges, toChange } from './changes.ts'

const register = (more: Partial<SkillChange> = {}): SkillChange => ({ op: 'register', id: 'a', changed: true, ...more })
const unregister: SkillChange = { op: 'unregister', id: 'a', changed: true }

describe('what subscribers are told', () => {
  it.each([
    ['an owner that stayed', { op: 'register', owner: 'x', previousOwner: 'x' }, {}],
    ['a first owner', { op: 'register', owner: 'x', previousOwner: undefined }, {}],
    ['another owner', { op: 'register', owner: 'y', previousOwner: 'x' }, { previous_owner: 'x' }],
    ['an owner that nobody knows', { op: 'register', owner: undefined, previousOwner: 'x' }, { previous_owner: 'x' }],
    ['a removal', { op: 'unregister', owner: undefined, previousOwner: 'x' }, {}],
  ] as const)('of %s', (_, difference, told) => {
    const { op } = difference
    expect(toChange({ key: 'a', changed: true, ...difference })).toEqual({ op, changed: true, ...told })
  })
})

describe('one change for two', () => {
  it('is the later one', () => {
    expect(mergeChanges(register(), unregister)).toEqual(unregister)
    expect(mergeChanges(unregister, register())).toEqual(register())
  })

  it('changed something when either did', () => {
    const same = register({ changed: false })
    expect(mergeChanges(register(), same)).toEqual(register())
    expect(mergeChanges(same, register())).toEqual(register())
    expect(mergeChanges(same, same)).toEqual(same)
  })

  it('names who had it last before the owner of now', () => {
    const [byB, byC] = [register({ previous_owner: 'A' }), register({ previous_owner: 'B' })]
    expect(mergeChanges(byB, byC)).toEqual(byC)
    expect(mergeChanges(byB, register({ changed: false }))).toEqual(byB)
    expect(mergeChanges(byB, unregister)).toEqual(unregister)
    expect(mergeChanges(mergeChanges(byB, unregister), register())).toEqual(register())
  })
})
