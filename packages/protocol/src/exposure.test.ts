import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExposureRules, type Refusal, refuse, refuseInternal, type Via } from './exposure.ts'
import { isInternalId } from './internal-namespaces.ts'

const open: ExposureRules = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
const rules = (change: Partial<ExposureRules>): ExposureRules => ({ ...open, ...change })
const reason = (id: string, metadata: unknown, change: Partial<ExposureRules> = {}, via: Via = 'tool') =>
  refuse(id, metadata, rules(change), via)?.reason

describe('the texts of the gate', () => {
  const hiddenBy = rules({ hiddenPrefixes: ['x', 'orders::in'], requireExpose: true })
  const notExposed = "Function 'a::b' is not exposed via mcp.expose metadata"

  it.each<[string, unknown, ExposureRules, Via, Refusal]>([
    [
      'state::set',
      {},
      open,
      'tool',
      {
        reason: 'internal',
        message: "Function 'state::set' is in the iii-engine internal namespace and is not exposed as an MCP tool",
      },
    ],
    [
      'state::get',
      {},
      open,
      'section',
      {
        reason: 'internal',
        message: "Function 'state::get' is in an internal namespace and cannot back a skill resource",
      },
    ],
    [
      'state::set',
      {},
      open,
      'prompt',
      {
        reason: 'internal',
        message: "Prompt handler 'state::set' is in an internal namespace and cannot back a prompt",
      },
    ],
    [
      'orders::internal_sync',
      { 'mcp.expose': true },
      hiddenBy,
      'tool',
      {
        reason: 'disabled',
        message: "Function 'orders::internal_sync' is disabled on this server",
      },
    ],
    ['a::b', {}, rules({ requireExpose: true }), 'tool', { reason: 'not_exposed', message: notExposed }],
    ['a::b', { 'mcp.expose': true }, rules({ tier: 'ops' }), 'section', { reason: 'tier', message: notExposed }],
    [
      'orders::cancel',
      { mcp: { annotations: { destructiveHint: true, readOnlyHint: true } } },
      open,
      'section',
      {
        reason: 'acts',
        message:
          "Function 'orders::cancel' changes something (it says destructiveHint: true), so reading an address does not call it.",
      },
    ],
  ])('say for %s with %j why it is refused', (id, metadata, given, via, refusal) => {
    expect(refuse(id, metadata, given, via)).toEqual(refusal)
  })
})

describe('exposure of a tool', () => {
  const exposed = { 'mcp.expose': true }
  const denied = { 'mcp.expose': false }

  it.each<[string, unknown, Partial<ExposureRules>, Refusal['reason'] | undefined]>([
    ['is the default', undefined, {}, undefined],
    ['is the default for any metadata', 'nonsense', {}, undefined],
    ['ends with an explicit false', denied, {}, 'not_exposed'],
    ['ends with an explicit false in the nested spelling', { mcp: { expose: false } }, {}, 'not_exposed'],
    ['ends with an explicit false even where all is exposed', denied, { exposeAll: true }, 'not_exposed'],
    ['is asked for by requireExpose', {}, { requireExpose: true }, 'not_exposed'],
    ['is given by the flat key', exposed, { requireExpose: true }, undefined],
    ['is given by the nested key', { mcp: { expose: true } }, { requireExpose: true }, undefined],
    ['is decided by the flat key where both are there', { 'mcp.expose': true, mcp: { expose: false } }, {}, undefined],
    [
      'is decided by the flat false where both are there',
      { 'mcp.expose': false, mcp: { expose: true } },
      {},
      'not_exposed',
    ],
    [
      'takes a null for nothing said',
      { 'mcp.expose': null, mcp: { expose: true } },
      { requireExpose: true },
      undefined,
    ],
    ['is not given by a text', { 'mcp.expose': 'true' }, { requireExpose: true }, 'not_exposed'],
    ['ends with anything that is no boolean', { 'mcp.expose': 'false' }, {}, 'not_exposed'],
    ['is not inherited from a prototype', Object.create(exposed), { requireExpose: true }, 'not_exposed'],
    ['is implied by a tier', { 'mcp.tier': 'ops' }, { tier: 'ops' }, 'not_exposed'],
    ['needs both with a tier', { 'mcp.tier': 'ops', ...exposed }, { tier: 'ops' }, undefined],
    ['needs the tier alone where all is exposed', { 'mcp.tier': 'ops' }, { tier: 'ops', exposeAll: true }, undefined],
    ['ends with another tier', { mcp: { tier: 'dev', expose: true } }, { tier: 'ops' }, 'tier'],
    [
      'ends with another tier even where all is exposed',
      { mcp: { tier: 'dev' } },
      { tier: 'ops', exposeAll: true },
      'tier',
    ],
    ['ends without a tier', exposed, { tier: 'ops' }, 'tier'],
    ['has a tier that counts only when one is asked for', { 'mcp.tier': 'dev' }, {}, undefined],
    ['ends with the operator’s prefix', exposed, { hiddenPrefixes: ['a:'] }, 'disabled'],
    ['knows prefixes as they are written, case included', exposed, { hiddenPrefixes: ['A'] }, undefined],
    ['ends with metadata.internal', { internal: true, ...exposed }, { exposeAll: true }, 'internal'],
    ['takes only true for internal', { internal: 'true' }, {}, undefined],
  ])('%s', (_, metadata, change, expected) => {
    expect(reason('a::b', metadata, change)).toBe(expected)
    expect(reason('a::b', metadata, change, 'section')).toBe(expected)
  })
})

describe('a refusal of its own', () => {
  const said = (metadata: object, via: Via = 'tool', change: Partial<ExposureRules> = {}) =>
    refuse('runs::run_job', metadata, rules(change), via)?.message
  const usual = /^Function 'runs::run_job' is not exposed via mcp\.expose metadata/
  const own = 'Start the worker with --allow-run to run jobs'

  it.each<Via>(['tool', 'section'])('stands in the place of ours where the function hides itself (%s)', (via) => {
    expect(said({ 'mcp.expose': false, 'mcp.refusal': own }, via)).toBe(own)
    expect(said({ mcp: { expose: false, refusal: own } }, via)).toBe(own)
  })

  it('is one line in which everything is seen', () => {
    const refusal = ' one\n\u001b[31mtwo\u001b[0m\u200b three\u0007 '
    expect(said({ mcp: { expose: false, refusal } })).toBe('one two three')
  })

  it.each([
    ['too long', 'a'.repeat(201)],
    ['too long in bytes', 'é'.repeat(101)],
    ['blank', ' \n'],
    ['empty for whoever reads it', '\u200b'],
    ['no text', 7],
  ])('is ours where it is %s', (_, refusal) => {
    expect(said({ mcp: { expose: false, refusal } })).toMatch(usual)
  })

  it('has as many as 200 bytes', () => {
    expect(said({ mcp: { expose: false, refusal: 'é'.repeat(100) } })).toBe('é'.repeat(100))
  })

  it('is not told where something else hides the function', () => {
    const refusal = { 'mcp.refusal': own }
    expect(said({ ...refusal, 'mcp.expose': 'no' })).toMatch(usual)
    expect(said(refusal, 'tool', { requireExpose: true })).toMatch(usual)
    expect(said({ ...refusal, 'mcp.expose': false, internal: true })).toContain('internal namespace')
    expect(said({ ...refusal, 'mcp.expose': false }, 'tool', { hiddenPrefixes: ['runs'] })).toContain(
      'is disabled on this server',
    )
    expect(said({ ...refusal, 'mcp.expose': false }, 'prompt')).toBeUndefined()
  })
})

describe('skill::fetch', () => {
  it.each<[string, unknown, Partial<ExposureRules>, Refusal['reason'] | undefined]>([
    ['is exposed without saying so', undefined, { requireExpose: true }, undefined],
    ['is of every tier', { 'mcp.tier': 'dev' }, { tier: 'ops' }, undefined],
    ['is hidden by an explicit false', { 'mcp.expose': false }, {}, 'not_exposed'],
    ['is hidden by the operator', { 'mcp.expose': true }, { hiddenPrefixes: ['skill::'] }, 'disabled'],
  ])('%s', (_, metadata, change, expected) => {
    expect(reason('skill::fetch', metadata, change)).toBe(expected)
  })
})

describe('the handler of a prompt', () => {
  it.each<[string, unknown, Partial<ExposureRules>, Refusal['reason'] | undefined]>([
    ['needs no expose', {}, { requireExpose: true }, undefined],
    ['may be hidden as a tool', { 'mcp.expose': false }, {}, undefined],
    ['needs no tier', {}, { tier: 'ops' }, undefined],
    ['may be of the tier', { 'mcp.tier': 'ops' }, { tier: 'ops' }, undefined],
    ['is hidden by another tier', { mcp: { tier: 'dev' } }, { tier: 'ops' }, 'tier'],
    ['is hidden by a tier that is no text', { 'mcp.tier': 7 }, { tier: 'ops' }, 'tier'],
    ['is hidden by the operator', {}, { hiddenPrefixes: ['a::'] }, 'disabled'],
    ['is hidden by metadata.internal', { internal: true }, {}, 'internal'],
  ])('%s', (_, metadata, change, expected) => {
    expect(reason('a::b', metadata, change, 'prompt')).toBe(expected)
  })
})

const ids = fc.oneof(
  fc.constantFrom('orders::create', 'skill::fetch', 'a.b', 'reports::x', 'orders::x'),
  fc.constantFrom('state::set', 'Engine::x', 'iii-http::x', 'publish', 'skills::list', 'bridge.invoke'),
)
const said = fc.constantFrom(undefined, null, true, false, 'true', 0)
const tiers = fc.constantFrom(undefined, 'ops', 'dev')
const metadata = fc
  .record({ flat: said, nested: said, flatTier: tiers, nestedTier: tiers, internal: said })
  .map((m) => ({
    'mcp.expose': m.flat,
    mcp: { expose: m.nested, tier: m.nestedTier },
    'mcp.tier': m.flatTier,
    internal: m.internal,
  }))
const prefixes = fc.array(fc.constantFrom('orders::', 'skill', 'a', 'zzz'), { maxLength: 3 })
const settings = fc.record({
  requireExpose: fc.boolean(),
  exposeAll: fc.boolean(),
  tier: tiers,
  hiddenPrefixes: prefixes,
})
const vias = fc.constantFrom<Via>('tool', 'section', 'prompt')

describe('under any settings', () => {
  it('nothing below the floor passes', () => {
    fc.assert(
      fc.property(ids, metadata, settings, vias, (id, meta, given, via) => {
        const hidden = isInternalId(id) || meta.internal === true
        expect(refuse(id, meta, given, via)?.reason === 'internal').toBe(hidden)
        expect(refuseInternal(id, meta, via) !== undefined).toBe(hidden)
      }),
      { numRuns: 2000 },
    )
  })

  it('one more prefix, or asking for expose, never shows more', () => {
    fc.assert(
      fc.property(ids, metadata, settings, vias, prefixes, (id, meta, given, via, more) => {
        if (refuse(id, meta, given, via) === undefined) return
        const stricter = { ...given, requireExpose: true, hiddenPrefixes: [...given.hiddenPrefixes, ...more] }
        expect(refuse(id, meta, stricter, via)).toBeDefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('a tier never shows more than none, and two tiers share only what has none of its own', () => {
    fc.assert(
      fc.property(ids, metadata, settings, vias, (id, meta, given, via) => {
        const shown = (tier: string | undefined) => refuse(id, meta, { ...given, tier }, via) === undefined
        if (shown('ops')) expect(shown(undefined)).toBe(true)
        if (shown('ops') && shown('dev')) expect(id === 'skill::fetch' || via === 'prompt').toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('a tool and a section of one function are shown together', () => {
    fc.assert(
      fc.property(ids, metadata, settings, (id, meta, given) => {
        expect(refuse(id, meta, given, 'section')?.reason).toBe(refuse(id, meta, given, 'tool')?.reason)
      }),
    )
  })

  it('any metadata at all gets an answer', () => {
    fc.assert(
      fc.property(ids, fc.anything(), settings, vias, (id, meta, given, via) => {
        expect(['string', 'undefined']).toContain(typeof refuse(id, meta, given, via)?.message)
      }),
    )
  })
})
