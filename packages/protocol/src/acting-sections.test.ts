import { describe, expect, it } from 'vitest'
import { type ExposureRules, refuse, type Via } from './exposure.ts'

const open: ExposureRules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
const reason = (metadata: unknown, via: Via) => refuse('a::b', metadata, open, via)?.reason

describe('a section', () => {
  it.each<[object | undefined, Via, string | undefined]>([
    [undefined, 'section', undefined],
    [{}, 'section', undefined],
    [{ readOnlyHint: true }, 'section', undefined],
    [{ readOnlyHint: false }, 'section', 'acts'],
    [{ destructiveHint: false }, 'section', undefined],
    [{ destructiveHint: true }, 'section', 'acts'],
    [{ destructiveHint: 'yes' }, 'section', undefined],
    [{ destructiveHint: true }, 'tool', undefined],
    [{ destructiveHint: true }, 'prompt', undefined],
  ])('of a function that says %j is refused when it is asked for as a %s: %s', (annotations, via, expected) => {
    expect(reason({ 'mcp.annotations': annotations }, via)).toBe(expected)
  })

  it('of a hidden function is refused for being hidden', () => {
    const metadata = { 'mcp.expose': false, 'mcp.annotations': { destructiveHint: true } }
    expect(reason(metadata, 'section')).toBe('not_exposed')
  })
})
