import { expect, it } from 'vitest'
import { formatStartSteps } from './next-steps.ts'

it('the next steps hold the MCP URL, one line for the Inspector, one JSON block for a client, and how to stop', () => {
  const lines = formatStartSteps('http://127.0.0.1:4000/mcp').split('\n')
  expect(lines).toContain('Ready: http://127.0.0.1:4000/mcp')
  expect(lines).toContain(
    'npx -y @modelcontextprotocol/inspector --cli --transport http http://127.0.0.1:4000/mcp --method tools/list',
  )
  const block = lines.find((line) => line.startsWith('{'))
  expect(JSON.parse(block ?? '')).toEqual({ mcpServers: { iii: { type: 'http', url: 'http://127.0.0.1:4000/mcp' } } })
  expect(lines).toContain('Ctrl-C stops everything.')
})
