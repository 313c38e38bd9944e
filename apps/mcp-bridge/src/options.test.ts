import { describe, expect, it } from 'vitest'
import { type BridgeOptions, bridgeOptions, findConflict, toExposureRules, toTransports } from './options.ts'

function accepts(name: keyof BridgeOptions, value: unknown): boolean {
  return bridgeOptions[name].schema.safeParse(value).success
}

const defaults = Object.fromEntries(
  Object.entries(bridgeOptions).map(([name, spec]) => [name, (spec as { default: unknown }).default]),
) as unknown as BridgeOptions

describe('the options', () => {
  it('show everything that is not internal, on /mcp, by default', () => {
    expect(defaults.apiPath).toBe('/mcp')
    expect(toExposureRules(defaults)).toEqual({
      requireExpose: false,
      exposeAll: false,
      tier: undefined,
      hiddenPrefixes: [],
    })
  })

  it('refuse a path that the engine would not survive', () => {
    expect(accepts('apiPath', 'mcp')).toBe(true)
    expect(accepts('apiPath', '/mcp/{x}')).toBe(false)
  })

  it('refuse an empty hidden prefix, which would hide everything', () => {
    expect(accepts('hiddenPrefixes', ['internal_'])).toBe(true)
    expect(accepts('hiddenPrefixes', [''])).toBe(false)
  })

  it('take hosts as names and origins as origins', () => {
    expect(accepts('allowedHosts', ['mcp.example.com', 'bus:3111', '[::1]:80'])).toBe(true)
    expect(accepts('allowedHosts', ['https://mcp.example.com'])).toBe(false)
    expect(accepts('allowedOrigins', ['https://app.example.com', 'vscode-webview://x'])).toBe(true)
    expect(accepts('allowedOrigins', ['app.example.com'])).toBe(false)
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
