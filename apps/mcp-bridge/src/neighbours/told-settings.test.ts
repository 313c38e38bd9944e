import { toCanonicalJson } from '@iii/protocol/canonical-json'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { BRIDGE_SPECS, type BridgeOptions } from '../options.ts'
import { findDifferences, parseTold, toCompared } from './told-settings.ts'

const HASH = `sha256:${'0'.repeat(64)}`

function toOptions(auth: object): BridgeOptions {
  const defaults = Object.fromEntries(BRIDGE_SPECS.map(([key, { default: fallback }]) => [key, fallback]))
  return { ...defaults, auth: AuthBlock.parse(auth) } as unknown as BridgeOptions
}

/** As another bridge of the same file is heard: the engine hands on JSON with its keys in order. */
function toHeard(auth: object) {
  const { settings, tokens } = toCompared(toOptions(auth))
  const keys = Object.fromEntries(BRIDGE_SPECS.map(([key, { yaml = key }]) => [yaml, settings[key] ?? null]))
  const blind = {
    ...keys,
    auth: { ...settings.auth, tokens: settings.auth?.tokens.map((row) => ({ ...row, hash: [] })) },
  }
  const told = parseTold(JSON.parse(toCanonicalJson({ settings: blind, tokens, http: true, locked: null })))
  if (told === undefined) throw new Error('nobody can read it')
  return told
}

describe('two bridges of one file', () => {
  const auth = {
    tokens: [{ name: 'ci', hash: [HASH], grant: 'staff' }],
    grants: { staff: { tiers: ['user'] }, ops: {}, all: { scopes: ['*'] } },
  }

  it('have the same settings, in whatever order the file names its grants', () => {
    expect(findDifferences(toHeard(auth), toCompared(toOptions(auth)))).toEqual([])
  })

  it('differ where one of them lets a grant see more, or takes another token', () => {
    const wider = { ...auth, grants: { ...auth.grants, ops: { management: true } } }
    expect(findDifferences(toHeard(auth), toCompared(toOptions(wider)))).toEqual(['auth'])
    const other = { ...auth, tokens: [{ name: 'ci', hash: [`sha256:${'1'.repeat(64)}`], grant: 'staff' }] }
    expect(findDifferences(toHeard(auth), toCompared(toOptions(other)))).toEqual(['auth.tokens'])
  })
})
