import { join } from 'node:path'
import type { OperatorHost } from '../host.ts'

/** A program that starts MCP servers, and the file in which it looks for them. */
export interface Client {
  /** What is typed: `claude-desktop`. */
  readonly name: string
  /** As its makers write it. */
  readonly title: string
  /** How the file is written. @default 'json' */
  readonly format?: 'toml'
  /** The key of the file below which servers stand by name. */
  readonly key: string
  /** What a server's block says beside command, arguments and environment. */
  readonly extras: Readonly<Record<string, string>>
  /** What it says of a server that is reached over Streamable HTTP; a sentence where the program reads no addresses from this file. */
  readonly address: string | ((url: string) => Readonly<Record<string, string>>)
  /** The program reads comments and commas before a closing bracket. */
  readonly hasComments: boolean
  /** What to do for it to take the file up. */
  readonly afterwards: string
  /** For the help, by system. */
  readonly places: Readonly<Partial<Record<'all' | 'macOS' | 'Linux' | 'Windows', string>>>
  find(host: OperatorHost): string
}

const toTyped = (url: string) => ({ type: 'http', url })
const toUrl = (url: string) => ({ url })

const CODE = { hasComments: true, key: 'servers', extras: { type: 'stdio' }, address: toTyped } as const
const SERVERS = { key: 'mcpServers', extras: {}, address: toUrl } as const

/** Sources: the documentation of each client. */
export const CLIENTS: readonly Client[] = [
  {
    ...SERVERS,
    name: 'claude-desktop',
    title: 'Claude Desktop',
    address:
      'Claude Desktop reads no addresses from its file: leave --transport out, or add it in Settings, Connectors',
    hasComments: false,
    afterwards: 'quit Claude Desktop and start it again',
    places: toAppPlaces('Claude/claude_desktop_config.json'),
    find: (host) => join(findAppFolder(host), 'Claude', 'claude_desktop_config.json'),
  },
  {
    ...SERVERS,
    name: 'claude-code',
    title: 'Claude Code',
    extras: { type: 'stdio' },
    address: toTyped,
    hasComments: false,
    afterwards: 'start Claude Code again, and look with /mcp',
    places: { all: '~/.claude.json, or .claude.json in the folder of CLAUDE_CONFIG_DIR' },
    find: ({ home, env }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
  },
  {
    ...SERVERS,
    name: 'cursor',
    title: 'Cursor',
    hasComments: true,
    afterwards: 'start Cursor again, or switch the server on in its settings',
    places: { all: '~/.cursor/mcp.json' },
    find: ({ home }) => join(home, '.cursor', 'mcp.json'),
  },
  {
    ...CODE,
    name: 'vscode',
    title: 'VS Code',
    afterwards: 'run "MCP: List Servers" in VS Code, and start it there',
    places: toAppPlaces('Code/User/mcp.json'),
    find: (host) => join(findAppFolder(host), 'Code', 'User', 'mcp.json'),
  },
  {
    ...CODE,
    name: 'vscode-insiders',
    title: 'VS Code Insiders',
    afterwards: 'run "MCP: List Servers" in VS Code, and start it there',
    places: toAppPlaces('Code - Insiders/User/mcp.json'),
    find: (host) => join(findAppFolder(host), 'Code - Insiders', 'User', 'mcp.json'),
  },
  {
    ...SERVERS,
    name: 'windsurf',
    title: 'Windsurf',
    address: (serverUrl) => ({ serverUrl }),
    hasComments: true,
    afterwards: 'refresh the servers in the MCP panel of Windsurf',
    places: { all: '~/.codeium/windsurf/mcp_config.json' },
    find: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
  },
  {
    name: 'zed',
    title: 'Zed',
    key: 'context_servers',
    extras: {},
    address: toUrl,
    hasComments: true,
    afterwards: 'look in the settings of the agent panel; Zed takes it up by itself',
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
    ...SERVERS,
    name: 'gemini-cli',
    title: 'Gemini CLI',
    // Its `url` is the address of a server over HTTP with SSE, which no revision of today has.
    address: (httpUrl) => ({ httpUrl }),
    hasComments: true,
    afterwards: 'start Gemini CLI again, and look with /mcp',
    places: { all: '~/.gemini/settings.json, or .gemini/settings.json in the folder of GEMINI_CLI_HOME' },
    find: ({ home, env }) => join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'),
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    extras: {},
    address: toUrl,
    hasComments: true,
    afterwards: 'start Codex again, and look with /mcp',
    places: { all: '~/.codex/config.toml, or config.toml in the folder of CODEX_HOME' },
    find: ({ home, env }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
  },
  {
    ...SERVERS,
    name: 'lm-studio',
    title: 'LM Studio',
    hasComments: false,
    afterwards: 'switch the server on in the Program tab of LM Studio',
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
