import { join } from 'node:path'
import { MCP_HOSTS, type McpHost } from '@iii/page/hosts'
import type { OperatorHost } from '../host.ts'

/** A program that starts MCP servers, and the file in which it looks for them. */
export interface Client extends McpHost {
  /** What a server's block says beside command, arguments and environment. */
  readonly extras: Readonly<Record<string, string>>
  /** For the help, by system. */
  readonly places: Readonly<Partial<Record<'all' | 'macOS' | 'Linux' | 'Windows', string>>>
  find(host: OperatorHost): string
}

function toHost(name: (typeof MCP_HOSTS)[number]['name']): McpHost {
  const host = MCP_HOSTS.find((each) => each.name === name)
  if (host === undefined) throw new Error(`there is no host ${name}`)
  return host
}

/** Sources: the documentation of each client. */
export const CLIENTS: readonly Client[] = [
  {
    ...toHost('claude-desktop'),
    extras: {},
    places: toAppPlaces('Claude/claude_desktop_config.json'),
    find: (host) => join(findAppFolder(host), 'Claude', 'claude_desktop_config.json'),
  },
  {
    ...toHost('claude-code'),
    extras: { type: 'stdio' },
    places: { all: '~/.claude.json, or .claude.json in the folder of CLAUDE_CONFIG_DIR' },
    find: ({ home, env }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
  },
  {
    ...toHost('cursor'),
    extras: {},
    places: { all: '~/.cursor/mcp.json' },
    find: ({ home }) => join(home, '.cursor', 'mcp.json'),
  },
  {
    ...toHost('vscode'),
    extras: { type: 'stdio' },
    places: toAppPlaces('Code/User/mcp.json'),
    find: (host) => join(findAppFolder(host), 'Code', 'User', 'mcp.json'),
  },
  {
    ...toHost('vscode-insiders'),
    extras: { type: 'stdio' },
    places: toAppPlaces('Code - Insiders/User/mcp.json'),
    find: (host) => join(findAppFolder(host), 'Code - Insiders', 'User', 'mcp.json'),
  },
  {
    ...toHost('windsurf'),
    extras: {},
    places: { all: '~/.codeium/windsurf/mcp_config.json' },
    find: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
  },
  {
    ...toHost('zed'),
    extras: {},
    places: {
      macOS: '~/.config/zed/settings.json',
      Linux: '~/.config/zed/settings.json',
      Windows: '%APPDATA%/Zed/settings.json',
    },
    find(host) {
      if (host.platform === 'win32') return join(findAppFolder(host), 'Zed', 'settings.json')
      return join(findConfigFolder(host), 'zed', 'settings.json')
    },
  },
  {
    ...toHost('gemini-cli'),
    extras: {},
    places: { all: '~/.gemini/settings.json, or .gemini/settings.json in the folder of GEMINI_CLI_HOME' },
    find: ({ home, env }) => join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'),
  },
  {
    ...toHost('codex'),
    extras: {},
    places: { all: '~/.codex/config.toml, or config.toml in the folder of CODEX_HOME' },
    find: ({ home, env }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
  },
  {
    ...toHost('lm-studio'),
    extras: {},
    places: { all: '~/.lmstudio/mcp.json' },
    find: ({ home }) => join(home, '.lmstudio', 'mcp.json'),
  },
]

export const CLIENT_NAMES: readonly string[] = CLIENTS.map(({ name }) => name)

/** A line for each client and system, for the help. */
export function formatPlaces(): string[] {
  const width = Math.max(...CLIENT_NAMES.map((name) => name.length))
  return CLIENTS.flatMap(({ name, places }) =>
    Object.entries(places).map(([system, place], at) => {
      const on = system === 'all' ? '' : `${system.padEnd(8)} `
      return `  ${(at === 0 ? name : '').padEnd(width)}  ${on}${place}`
    }),
  )
}

function toAppPlaces(path: string): Client['places'] {
  return {
    macOS: `~/Library/Application Support/${path}`,
    Linux: `~/.config/${path}`,
    Windows: `%APPDATA%/${path}`,
  }
}

/** Where desktop programs keep their settings. */
function findAppFolder(host: OperatorHost): string {
  const { platform, home, env } = host
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  return findConfigFolder(host)
}

/** XDG counts on Linux alone: on a Mac, programs look into ~/.config whatever it says. */
function findConfigFolder({ platform, home, env }: OperatorHost): string {
  return (platform === 'linux' && env['XDG_CONFIG_HOME']) || join(home, '.config')
}
