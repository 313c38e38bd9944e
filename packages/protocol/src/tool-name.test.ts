import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CALL_TOOL_NAME,
  formatToolName,
  isCanonicalId,
  isHashedToolName,
  isManagementToolName,
  MANAGEMENT_TOOL_NAMES,
  parsePlacedToolName,
  parseToolName,
  SEARCH_TOOL_NAME,
} from './tool-name.ts'

const allowed = /^[A-Za-z0-9_-]{1,64}$/
const part = fc.stringMatching(/^[A-Za-z0-9-]{1,6}$/)
const segment = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('_'))
const canonical = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('::'))
const short = canonical.filter((id) => id.replaceAll('::', '__').length <= 64)
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '_',
        '__',
        '___',
        '::',
        ':',
        '.',
        '-',
        '\u212a',
        '\u017f',
        '\uff53',
        '\u200b',
        '\0',
        '%',
        '/',
        'state',
        'a',
        'Z',
        '0',
        '\ud800',
      ),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
const ids = fc.oneof(
  canonical,
  hostile,
  hostile.map((text) => `a::${text}`),
)

describe('the name of a tool', () => {
  it.each([
    ['orders::create', 'orders__create'],
    ['a::b::c', 'a__b__c'],
    ['echo', 'echo'],
    ['skill::fetch', 'skill__fetch'],
    ['Orders-2::create_now', 'Orders-2__create_now'],
    ['iii_worker', 'iii_worker'],
    [`a::${'b'.repeat(61)}`, `a__${'b'.repeat(61)}`],
  ])('of the canonical id %s is %s', (id, name) => {
    expect(isCanonicalId(id)).toBe(true)
    expect(formatToolName(id)).toBe(name)
    expect(parseToolName(name)).toBe(id)
    expect(isHashedToolName(name)).toBe(false)
  })

  it.each([
    ['reports.daily', 'reports_daily___86f23e8c'],
    ['a__b', 'a__b___'],
    ['a_::b', 'a___b___'],
    ['_a', '_a___'],
    ['a:::b', 'a___b___'],
    ['日本', 'function___0e19ba4d'],
    ['', 'function___'],
    ['a/b (c)', 'a_b_c___'],
    [`a::${'b'.repeat(62)}`, `a__${'b'.repeat(50)}___`],
    ['iii_worker_stop', 'iii_worker_stop___'],
    ['search_tools', 'search_tools___'],
    ['call_tool', 'call_tool___'],
  ])('of %j begins with %s and is found in the catalog only', (id, start) => {
    const name = formatToolName(id)
    expect(name.startsWith(start)).toBe(true)
    expect(name).toMatch(allowed)
    expect(isHashedToolName(name)).toBe(true)
    expect(parseToolName(name)).toBeUndefined()
  })

  it.each([
    '',
    'a::b',
    'a.b',
    'a___b',
    '_a',
    'a_',
    'a____b',
    'a__',
    'é',
    'a b',
    'a\n',
    'a'.repeat(65),
    ...MANAGEMENT_TOOL_NAMES,
    SEARCH_TOOL_NAME,
    CALL_TOOL_NAME,
  ])('is not %j', (name) => {
    expect(parseToolName(name)).toBeUndefined()
  })

  it.each(['reports daily___86f23e8c', `${'a'.repeat(54)}___86f23e8c`, 'a___86f23e8', 'a___86f23e8g'])(
    'is not %j, which looks hashed',
    (name) => {
      expect([isHashedToolName(name), parseToolName(name)]).toEqual([false, undefined])
    },
  )

  it('is one of six for the management of the engine', () => {
    expect(MANAGEMENT_TOOL_NAMES).toHaveLength(6)
    expect(MANAGEMENT_TOOL_NAMES.every(isManagementToolName)).toBe(true)
    expect(isManagementToolName('orders__create')).toBe(false)
  })
})

describe('the mapping', () => {
  it('gives every canonical id back that fits', () => {
    fc.assert(
      fc.property(short, (id) => {
        expect(isCanonicalId(id)).toBe(true)
        expect(parseToolName(formatToolName(id))).toBe(id)
      }),
      { numRuns: 5000 },
    )
  })

  it('gives different names to different ids', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        if (a !== b) expect(formatToolName(a)).not.toBe(formatToolName(b))
      }),
      { numRuns: 5000 },
    )
  })

  it('keeps apart the look-alikes that the naive replacement mixes up', () => {
    const lookAlikes = ['a::b', 'a__b', 'a:b', 'a.b', 'a_b', 'a::_b', 'a_::b', 'a___b', 'A::b', 'a::b ', 'ａ::b']
    expect(new Set(lookAlikes.map((id) => formatToolName(id))).size).toBe(lookAlikes.length)
  })

  it('reads from any text nothing, or the canonical id that has this name', () => {
    const names = fc.oneof(
      hostile,
      fc.stringMatching(/^[a-cA_-]{1,64}$/),
      ids.map((id) => formatToolName(id)),
    )
    fc.assert(
      fc.property(names, (name) => {
        const id = parseToolName(name)
        if (id === undefined) return
        expect(isCanonicalId(id)).toBe(true)
        expect(formatToolName(id)).toBe(name)
      }),
      { numRuns: 5000 },
    )
  })

  it('gives a name that hosts accept to every id, the same each time', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const name = formatToolName(id)
        expect(name).toMatch(allowed)
        expect(formatToolName(id)).toBe(name)
        expect(isManagementToolName(name)).toBe(false)
        expect(isHashedToolName(name)).toBe(parseToolName(name) === undefined)
      }),
      { numRuns: 5000 },
    )
  })

  it('never gives a canonical id the shape of a hashed name', () => {
    fc.assert(
      fc.property(short, (id) => {
        expect(formatToolName(id)).not.toContain('___')
      }),
      { numRuns: 2000 },
    )
  })

  it('takes no longer for hostile ids', () => {
    for (const odd of ['a', 'a_', '_', '::', 'a::', '\u{1f600}']) {
      expect(formatToolName(odd.repeat(1_000_000 / odd.length))).toMatch(allowed)
    }
  })
})

describe('the name of a tool of another namespace', () => {
  it.each([
    ['orders', 'a::b', 'orders___a__b'],
    ['Team-1_x', 'a', 'Team-1_x___a'],
    ['orders', 'reports.daily', 'orders___reports_daily___86f23e8c'],
  ])('%s of %s is %s', (namespace, id, name) => {
    expect(formatToolName(id, namespace)).toBe(name)
    if (isCanonicalId(id)) expect(parsePlacedToolName(name)).toEqual({ namespace, id })
  })

  it.each([
    ['orders', 'deadbeef', /^orders__deadbeef___[0-9a-f]{8}$/],
    ['a__b', 'c::d', /^a__b__c__d___[0-9a-f]{8}$/],
    ['_a', 'c', /^_a__c___[0-9a-f]{8}$/],
    ['v1.2', 'c', /^v1_2__c___[0-9a-f]{8}$/],
    ['日本', 'c', /^___c___[0-9a-f]{8}$/],
    ['n'.repeat(62), 'c', /^n{53}___[0-9a-f]{8}$/],
  ])('%j of %j is hashed', (namespace, id, shape) => {
    const name = formatToolName(id, namespace)
    expect([name.match(shape) !== null, name]).toEqual([true, name])
    expect([isHashedToolName(name), parsePlacedToolName(name)]).toEqual([true, undefined])
  })

  it.each([
    '',
    '___',
    'a___',
    '___a',
    'a',
    'a__b',
    'a_b___deadbeef',
    'a____b',
    'a___b___c',
    'a___iii_worker_stop',
    'é___a',
    `${'n'.repeat(60)}___ab`,
  ])('is not %j', (name) => {
    expect(parsePlacedToolName(name)).toBeUndefined()
  })

  const namespaces = fc.oneof(segment, hostile, fc.constantFrom('default', 'orders'))

  it('is allowed, and is read back exactly where it is not hashed', () => {
    fc.assert(
      fc.property(ids, namespaces, (id, namespace) => {
        const name = formatToolName(id, namespace)
        expect(name).toMatch(allowed)
        const read = parsePlacedToolName(name)
        expect(read === undefined ? isHashedToolName(name) : read).toEqual(read === undefined || { namespace, id })
      }),
      { numRuns: 5000 },
    )
  })

  it('is none that the own namespace gives: what else is shown takes no name away', () => {
    fc.assert(
      fc.property(ids, ids, namespaces, (own, id, namespace) => {
        const name = formatToolName(own)
        expect(formatToolName(own, undefined)).toBe(name)
        expect(parsePlacedToolName(name)).toBeUndefined()
        expect(parseToolName(formatToolName(id, namespace))).toBeUndefined()
      }),
      { numRuns: 5000 },
    )
  })
})
