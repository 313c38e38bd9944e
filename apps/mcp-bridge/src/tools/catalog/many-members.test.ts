import { describe, expect, it } from 'vitest'
import { toInputSchema, toOutputSchema } from './tool-schemas.ts'

describe('a schema of many parts', () => {
  it('is looked at up to 16384 keywords and names, wrong ones too', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [`x${i}`, 1] as const)
    const members = Object.fromEntries(many)
    const problems = ['it has more than 16384 keywords and names']
    expect(toInputSchema({ type: 'object', ...members }).problems).toEqual(problems)
    expect(toInputSchema({ type: 'object', properties: members }).problems).toEqual(problems)
    expect(toInputSchema({ type: 'object', properties: { a: { anyOf: many.map(() => 1) } } }).problems).toEqual(
      problems,
    )
    expect(toOutputSchema({ type: 'object', properties: members })).toEqual({ schema: undefined, problems })
  })
})
