import { expect, it } from 'vitest'
import { toComplaint } from './complaints.ts'

it('shows a line of the engine that is a warning or an error', () => {
  expect(toComplaint('engine', 'iii-mock-engine: error: no space')).toBe('The engine says: no space')
  expect(toComplaint('engine', 'iii-mock-engine: warn: it is back')).toBe('The engine says: it is back')
  expect(toComplaint('engine', 'iii-mock-engine: bus ws://127.0.0.1:1 http http://127.0.0.1:2')).toBeUndefined()
  expect(toComplaint('orders', 'iii-mock-engine: error: no space')).toBeUndefined()
})

it('shows what is wrong with an MCP server or their file, once for a server that is tried again', () => {
  const line = (more: object) =>
    toComplaint('mcp-client', JSON.stringify({ level: 40, server: 'git', code: 'command_not_found', ...more }))
  expect(line({ reason: 'no git', failures: 1 })).toBe('The MCP server git: command_not_found: no git')
  expect(line({ code: 'malformed', reason: 'servers.git.args' })).toBe(
    'The MCP server git: malformed: servers.git.args',
  )
  expect(line({ reason: 'no\u001b[31m\ngit' })).toBe('The MCP server git: command_not_found: no git')
  expect(line({ reason: 'no git', failures: 2 })).toBeUndefined()
  expect(line({ level: 30 })).toBeUndefined()
  const file = { level: 50, file: 'servers.yaml', reason: 'line 2: no ]', msg: 'the configuration file cannot be used' }
  expect(toComplaint('mcp-client', JSON.stringify(file))).toBe(
    'The file servers.yaml: the configuration file cannot be used: line 2: no ]',
  )
  expect(toComplaint('mcp-client', '{"level":40,"file":"servers.yaml","msg":"it names none"}')).toBe(
    'The file servers.yaml: it names none',
  )
  for (const other of ['', 'text', 'null', '[]', '{"level":40,"msg":"x"}']) {
    expect(toComplaint('mcp-client', other)).toBeUndefined()
  }
})
