import { describe, expect, it } from 'vitest'
import { type OperatorHost, readOperatorHost } from '../host.ts'
import { CLIENTS, formatPlaces } from './clients.ts'

function find(name: string, host: Partial<OperatorHost>): string | undefined {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  return client?.find({ ...readOperatorHost({}), home: '/home/ada', env: {}, ...host })
}

const mac = { platform: 'darwin', home: '/Users/ada' } as const
const linux = { platform: 'linux' } as const
const windows = { platform: 'win32', env: { APPDATA: '/roaming' } } as const

describe('the file of a client', () => {
  it.each([
    ['claude-desktop', mac, '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', linux, '/home/ada/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', windows, '/roaming/Claude/claude_desktop_config.json'],
    ['claude-desktop', { ...windows, env: {} }, '/home/ada/AppData/Roaming/Claude/claude_desktop_config.json'],
    ['claude-desktop', { ...linux, env: { XDG_CONFIG_HOME: '/xdg' } }, '/xdg/Claude/claude_desktop_config.json'],
    ['claude-code', linux, '/home/ada/.claude.json'],
    ['claude-code', { ...linux, env: { CLAUDE_CONFIG_DIR: '/claude' } }, '/claude/.claude.json'],
    ['cursor', mac, '/Users/ada/.cursor/mcp.json'],
    ['vscode', mac, '/Users/ada/Library/Application Support/Code/User/mcp.json'],
    ['vscode', linux, '/home/ada/.config/Code/User/mcp.json'],
    ['vscode', windows, '/roaming/Code/User/mcp.json'],
    ['vscode-insiders', linux, '/home/ada/.config/Code - Insiders/User/mcp.json'],
    ['windsurf', linux, '/home/ada/.codeium/windsurf/mcp_config.json'],
    ['zed', { ...mac, env: { XDG_CONFIG_HOME: '/xdg' } }, '/Users/ada/.config/zed/settings.json'],
    ['zed', { ...linux, env: { XDG_CONFIG_HOME: '/xdg' } }, '/xdg/zed/settings.json'],
    ['zed', windows, '/roaming/Zed/settings.json'],
    ['gemini-cli', linux, '/home/ada/.gemini/settings.json'],
    ['gemini-cli', { ...linux, env: { GEMINI_CLI_HOME: '/gemini' } }, '/gemini/.gemini/settings.json'],
    ['codex', linux, '/home/ada/.codex/config.toml'],
    ['codex', { ...linux, env: { CODEX_HOME: '/codex' } }, '/codex/config.toml'],
    ['lm-studio', linux, '/home/ada/.lmstudio/mcp.json'],
  ])('%s on %j', (name, host, path) => {
    expect(find(name, host)).toBe(path)
  })

  it.each<[string, unknown]>([
    ['claude-desktop', 'Claude Desktop reads no addresses from its file'],
    ['claude-code', { type: 'http', url: 'http://x' }],
    ['cursor', { url: 'http://x' }],
    ['vscode', { type: 'http', url: 'http://x' }],
    ['vscode-insiders', { type: 'http', url: 'http://x' }],
    ['windsurf', { serverUrl: 'http://x' }],
    ['zed', { url: 'http://x' }],
    ['gemini-cli', { httpUrl: 'http://x' }],
    ['codex', { url: 'http://x' }],
    ['lm-studio', { url: 'http://x' }],
  ])('says of a server at an address what %s reads', (name, entry) => {
    const { address } = CLIENTS.find((client) => client.name === name) ?? {}
    expect(typeof address === 'function' ? address('http://x') : address?.split(':')[0]).toEqual(entry)
  })

  it('is in the help, for each of them', () => {
    const help = formatPlaces().join('\n')
    for (const { name, find: findFile } of CLIENTS) {
      const path = findFile({ ...readOperatorHost({}), platform: 'linux', home: '~', env: {} })
      expect(help).toContain(`  ${name} `)
      expect(help).toContain(path)
    }
  })
})
