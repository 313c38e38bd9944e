import { type ExposureRules, refuse, type Via } from '@iii/protocol'
import { createLog } from '@iii/sdk'
import { startSettings } from '@iii/sdk/cli'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BridgeOptions, bridgeOptions, findConflict, toTransports } from './options.ts'

function accepts(name: keyof BridgeOptions, value: unknown): boolean {
  return bridgeOptions[name].schema.safeParse(value).success
}

const defaults = Object.fromEntries(
  Object.entries(bridgeOptions).map(([name, spec]) => [name, (spec as { default: unknown }).default]),
) as unknown as BridgeOptions

describe('the options', () => {
  it('show everything that is not internal, on /mcp, by default', () => {
    expect(defaults.apiPath).toBe('/mcp')
    expect(defaults).toMatchObject({
      requireExpose: false,
      exposeAll: false,
      tier: undefined,
      hiddenPrefixes: [],
    })
  })

  it('list all tools by default, and search them for whoever asks for it, never by themselves', () => {
    expect(defaults.tools).toBe('all')
    expect(['all', 'search', 'auto', undefined].map((value) => accepts('tools', value))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('refuse patterns where there are none, which would hide or show nothing', () => {
    expect(accepts('hiddenPrefixes', ['orders::', 'lab'])).toBe(true)
    expect(accepts('hiddenPrefixes', ['orders::*'])).toBe(false)
    expect(accepts('namespaces', ['*', 'orders'])).toBe(true)
    expect(accepts('namespaces', ['orders*'])).toBe(false)
  })

  it('refuse a path that the engine would not survive', () => {
    expect(accepts('apiPath', 'mcp')).toBe(true)
    expect(accepts('apiPath', '/mcp/{x}')).toBe(false)
  })

  it('refuse an empty hidden prefix, which would hide everything', () => {
    expect(accepts('hiddenPrefixes', ['internal_'])).toBe(true)
    expect(accepts('hiddenPrefixes', [''])).toBe(false)
  })

  it.each(['', ' ', ' orders', 'a\nb', 7, null, {}])('refuse %j as a namespace that is shown', (name) => {
    const message = expect.stringMatching(
      typeof name === 'string' ? /^must be \* or the name of a namespace, for example orders$/ : /./,
    )
    expect(bridgeOptions.namespaces.schema.safeParse(['orders', name])).toMatchObject({
      success: false,
      error: { issues: [{ path: [1], message }] },
    })
  })

  it('take every namespace that the engine takes', () => {
    const names = ['*', 'orders', 'Orders', 'a.b', 'a b', 'ä']
    expect(bridgeOptions.namespaces.schema.safeParse(names)).toMatchObject({ success: true, data: names })
  })

  it('take hosts as names and origins as origins', () => {
    expect(accepts('allowedHosts', ['mcp.example.com', 'bus:3111', '[::1]:80'])).toBe(true)
    expect(accepts('allowedHosts', ['https://mcp.example.com'])).toBe(false)
    expect(accepts('allowedOrigins', ['https://app.example.com', 'vscode-webview://x'])).toBe(true)
    expect(accepts('allowedOrigins', ['app.example.com'])).toBe(false)
    for (const never of [
      'https://*.example.com',
      'https://app.example.com?x',
      'https://app.example.com#x',
      'https://a@b',
    ]) {
      expect(accepts('allowedOrigins', [never])).toBe(false)
    }
  })

  it('cannot ask for exposure and for everything at once', () => {
    expect(findConflict({ ...defaults, requireExpose: true, exposeAll: true })?.options).toEqual([
      'requireExpose',
      'exposeAll',
    ])
    expect(findConflict({ ...defaults, requireExpose: true })).toBeUndefined()
    expect(findConflict({ ...defaults, exposeAll: true })).toBeUndefined()
  })
})

describe('what is stored on the engine', () => {
  /** What counts, with the file or environment of the operator on one side. */
  function lay(ours: Partial<BridgeOptions>, stored: Partial<BridgeOptions>): BridgeOptions {
    const give = (from: 'environment' | 'store', values: Partial<BridgeOptions>) =>
      new Map(Object.entries(values).map(([name, value]) => [name, { value, from, name }]))
    const log = createLog({ name: 'test', level: 'silent' })
    const fixed = give('environment', ours)
    const settings = startSettings({ options: bridgeOptions, findConflict }, { fixed, file: undefined }, log)
    settings.store(give('store', stored))
    return settings.value
  }

  it.each<[ours: Partial<BridgeOptions>, stored: Partial<BridgeOptions>, counts: Partial<BridgeOptions>]>([
    [{}, { requireExpose: true }, { requireExpose: true }],
    [{ requireExpose: true }, { requireExpose: false }, { requireExpose: true }],
    [{ exposeAll: true }, { exposeAll: false }, { exposeAll: false }],
    [{}, { exposeAll: true }, { exposeAll: false }],
    [{ exposeAll: true }, { exposeAll: false, requireExpose: true }, { exposeAll: false, requireExpose: true }],
    [{ exposeAll: true }, { requireExpose: true }, { exposeAll: false, requireExpose: true }],
    [{}, { tier: 'ops' }, { tier: 'ops' }],
    [{ tier: 'sales' }, { tier: 'ops' }, { tier: 'sales' }],
    [{ hiddenPrefixes: ['a'] }, { hiddenPrefixes: ['b'] }, { hiddenPrefixes: ['b', 'a'] }],
    [{ noBuiltins: true }, { noBuiltins: false }, { noBuiltins: true }],
    [{}, { noBuiltins: true }, { noBuiltins: true }],
    [{ maxResultBytes: 4096 }, { maxResultBytes: 8192, inlineRefs: true }, { maxResultBytes: 8192, inlineRefs: true }],
  ])('with %j, and %j there, is %j', (ours, stored, counts) => {
    expect(lay(ours, stored)).toEqual({ ...defaults, ...counts })
  })

  it('never holds what lets anybody in, runs code or moves the endpoint', () => {
    const { apiPath, allowedHosts, allowedOrigins, allowRun, httpBuiltins, http, noStdio } = bridgeOptions
    for (const { stored } of [apiPath, allowedHosts, allowedOrigins, allowRun, httpBuiltins, http, noStdio]) {
      expect(stored).toBeUndefined()
    }
    expect(lay({}, { allowRun: true, apiPath: '/x', allowedHosts: ['evil'] })).toEqual(defaults)
  })

  const flag = fc.boolean()
  const tier = fc.constantFrom(undefined, 'ops', 'sales')
  const prefixes = fc.subarray(['orders::', 'billing::', 'o'])
  const rules = fc.record<ExposureRules>({ requireExpose: flag, exposeAll: flag, tier, hiddenPrefixes: prefixes })
  const metadata = fc.record({ 'mcp.expose': fc.constantFrom(undefined, true, false), 'mcp.tier': tier })

  it('shows no function that the operator hides', () => {
    const ids = fc.constantFrom('orders::list', 'billing::list', 'tea::brew', 'state::get')
    const vias = fc.constantFrom<Via>('tool', 'section', 'prompt')
    fc.assert(
      fc.property(rules, rules, ids, metadata, vias, (ours, stored, id, about, via) => {
        fc.pre(!(ours.requireExpose && ours.exposeAll))
        if (refuse(id, about, ours, via) === undefined) return
        expect(refuse(id, about, lay(ours, stored), via)).toBeDefined()
      }),
    )
  })
})

describe('how clients reach the process', () => {
  it.each([
    [{}, false, 'stdio'],
    [{ http: true }, false, 'stdio and http'],
    [{ noStdio: true }, false, 'http'],
    [{ noStdio: true, http: true }, false, 'http'],
    [{}, true, 'http'],
    [{ http: true }, true, 'http'],
  ])('with %j, started by the engine: %j, it is %s', (change, isEngineStarted, expected) => {
    const { stdio, http } = toTransports({ ...defaults, ...change }, isEngineStarted)
    expect([stdio ? 'stdio' : [], http ? 'http' : []].flat().join(' and ')).toBe(expected)
  })
})
