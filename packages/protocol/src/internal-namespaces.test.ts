import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INTERNAL_NAMESPACES, isInternalId } from './internal-namespaces.ts'

/** The floor once more, as one expression. Without the `u` flag, `i` folds ASCII letters alone with ASCII. */
const floor =
  /^(?:(?:a2a|bridge|compose|configuration|console|engine|exec|iii|mcp(?:-client)?|motia|prompts|sandbox|shell|skills|state|steps|stream|worker)(?:::|$)|iii[-.]|bridge\.|(?:publish|motia_step_get)$)/i

describe('an internal id', () => {
  it.each(INTERNAL_NAMESPACES)('is everything in %s', (segment) => {
    expect(isInternalId(`${segment}::x`)).toBe(true)
    expect(isInternalId(`${segment}::x::y`)).toBe(true)
    expect(isInternalId(segment)).toBe(true)
    expect(isInternalId(`${segment.toUpperCase()}::x`)).toBe(true)
    expect(isInternalId(`${segment}x::y`)).toBe(false)
    expect(isInternalId(`x::${segment}::y`)).toBe(false)
  })

  it.each([
    'iii.on_functions_available.1',
    'iii::x',
    'iii-state::get',
    'iii-x',
    'III-Http::x',
    'bridge.invoke',
    'Bridge.invoke_async',
    'publish',
    'PUBLISH',
    'motia_step_get',
    'state::',
    'state:::x',
  ])('is %s', (id) => {
    expect(isInternalId(id)).toBe(true)
  })

  it.each([
    'skill::fetch',
    'skill',
    'orders::create',
    'publish::x',
    'publisher',
    'iiix::y',
    'stateful::x',
    'engine_room::x',
    'mcp-clients::x',
    'state.x',
    'state:x',
    'state/x',
    ' state::x',
    'my::state::set',
    'motia_step_get::x',
    'wor\u212aer::x',
    '',
  ])('is not %j', (id) => {
    expect(isInternalId(id)).toBe(false)
  })

  it('is the same by a second, independent reading', () => {
    const words = fc.constantFrom(
      ...INTERNAL_NAMESPACES,
      'publish',
      'motia_step_get',
      'skill',
      'orders',
      'iii-state',
      'iii-',
      'iii.',
      'bridge.',
    )
    const cased = fc
      .tuple(words, fc.infiniteStream(fc.boolean()))
      .map(([word, upper]) =>
        [...word].map((letter) => (upper.next().value === true ? letter.toUpperCase() : letter)).join(''),
      )
    const rest = fc.array(
      fc.constantFrom('::', ':', '.', '-', '_', '\u212a', '\u017f', '\uff53', '\u200b', '\0', '%', '/', '\n', 'x'),
      { maxLength: 4 },
    )
    const id = fc
      .tuple(rest, cased, rest, fc.option(cased, { nil: '' }))
      .map(([a, b, c, d]) => a.join('') + b + c.join('') + d)
    fc.assert(
      fc.property(
        fc.oneof(
          id,
          cased,
          cased.map((word) => `${word}::x`),
        ),
        (text) => {
          expect(isInternalId(text)).toBe(floor.test(text))
        },
      ),
      { numRuns: 5000 },
    )
  })
})
