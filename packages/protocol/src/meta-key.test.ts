import { expect, it } from 'vitest'
import { isReservedMetaKey } from './meta-key.ts'

it.each([
  'io.modelcontextprotocol/related-task',
  'modelcontextprotocol/x',
  'modelcontextprotocol.io/x',
  'mcp/x',
  'mcp.dev/x',
  'tools.mcp.com/x',
  'org.mcp/',
  'mcp/a/b',
])('MCP keeps %s for itself', (key) => {
  expect(isReservedMetaKey(key)).toBe(true)
})

it.each(['', 'other', 'mcp', 'mcp.dev', 'com.example/x', 'com.example/mcp.dev/x', 'mymcp/x', 'com.mcps/x', '/mcp'])(
  '%j is for everybody',
  (key) => {
    expect(isReservedMetaKey(key)).toBe(false)
  },
)

it('is told in time that grows with the length of the key alone', async () => {
  await expect(isReservedMetaKey).toTakeLinearTime((length) => `${'.mcpx'.repeat(length)}/`, 65_536)
})
