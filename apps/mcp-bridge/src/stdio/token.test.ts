import { describe, expect, it, vi } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { type StdioSetup, startStdioBridge } from '../testing/stdio-bridge.ts'

const token = createToken()
const tokens = [{ name: 'desk', hash: [toDigest(token)], grant: 'all' }]

async function listWarnings(setup: StdioSetup): Promise<unknown[]> {
  const warn = vi.fn()
  await using client = startStdioBridge('ws://127.0.0.1:9', { ...setup, warn })
  await client.request('ping')
  return warn.mock.calls.flat().filter((text) => /III_MCP_TOKEN/.test(String(text)))
}

describe('a token in the environment', () => {
  const vain = [
    expect.stringMatching(/^III_MCP_TOKEN is set and changes nothing: no auth block says whose token it is/),
  ]

  it.each<[string, StdioSetup, unknown[]]>([
    ['changes nothing where no auth block says whose it is, and the log says so', { token }, vain],
    ['does so where nobody is asked', { token, options: { auth: AuthBlock.parse({ mode: 'off' }) } }, vain],
    [
      'is no news where a block is there',
      { token, options: { auth: AuthBlock.parse({ tokens, grants: { all: {} } }) } },
      [],
    ],
    ['is no news where it is not known what the file says', { token, locked: 'line 3' }, []],
    ['is not missed', {}, []],
  ])('%s', async (_, setup, warnings) => {
    expect(await listWarnings(setup)).toEqual(warnings)
  })
})
