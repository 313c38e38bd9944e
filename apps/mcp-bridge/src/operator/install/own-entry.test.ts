import { describe, expect, it } from 'vitest'
import { startsThisServer } from './own-entry.ts'

const SCRIPT = '/opt/workers/mcp-0.1.0'

describe('an entry of this server', () => {
  it.each([
    ['/usr/bin/node', ['/x/apps/mcp-bridge/bin/iii-mcp.js', '--tier', 'user']],
    ['/usr/bin/node', ['/lib/node_modules/npm/bin/npx-cli.js', '-y', '@iii/mcp@0.1.0', '--debug']],
    ['C:\\Program Files\\nodejs\\node.exe', ['C:\\npm\\bin\\npx-cli.js', '-y', '@iii/mcp@0.1.0']],
    ['C:\\nodejs\\node.exe', ['C:\\iii\\bin\\iii-mcp.js']],
    ['npx', ['-y', '@iii/mcp']],
    ['/opt/bin/node-22', ['/x/bin/iii-mcp.js']],
    ['node20.exe', ['D:\\x\\iii-mcp.js']],
    ['npx.cmd', ['@iii/mcp@latest']],
    ['node', ['/home/ada/.iii/workers/mcp']],
    ['node', [SCRIPT]],
  ])('is known: %s %j', (command, args) => {
    expect(startsThisServer({ command, args, env: { A: '1' } }, SCRIPT)).toBe(true)
  })

  it.each([
    ['node', ['/x/server.js']],
    ['node', ['/x/not-iii-mcp.js']],
    ['node', ['/opt/workers/mcp-0.0.9']],
    ['node', ['/x/proxy.js', '/x/bin/iii-mcp.js']],
    ['npx', ['-y', 'mcp-proxy', '@iii/mcp']],
    ['npx', ['-y', '@iii/mcp-client']],
    ['npx', ['-y', 'evil@iii/mcp']],
    ['docker', ['run', 'x', 'npx', '@iii/mcp']],
    ['iii-mcp', ['--debug']],
    ['/home/ada/.iii/workers/mcp', []],
    ['node', []],
    ['node', [5]],
    ['node', '/x/bin/iii-mcp.js'],
    [{ path: 'node', args: ['/x/bin/iii-mcp.js'] }, undefined],
    [undefined, ['/x/bin/iii-mcp.js']],
  ])('is not taken for one: %j %j', (command, args) => {
    expect(startsThisServer({ command, args }, SCRIPT)).toBe(false)
  })
})
