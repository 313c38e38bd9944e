/** Programs that start or reach MCP servers, and how their settings write an address. Sources: the documentation of each. */
export interface McpHost {
  /** What is typed: `claude-code`. */
  readonly name: string
  /** As its makers write it. */
  readonly title: string
  /** How its file is written. @default 'json' */
  readonly format?: 'toml'
  /** The key of the file below which servers stand by name. */
  readonly key: string
  /** What it says of a server that is reached over Streamable HTTP; a sentence where the program reads no addresses from this file. */
  readonly address: string | ((url: string) => Readonly<Record<string, string>>)
  /** The program reads comments and commas before a closing bracket. */
  readonly hasComments: boolean
  /** What to do for it to take the file up. */
  readonly afterwards: string
}

const toTyped = (url: string) => ({ type: 'http', url })
const toUrl = (url: string) => ({ url })

const CODE = {
  hasComments: true,
  key: 'servers',
  address: toTyped,
  afterwards: 'run "MCP: List Servers" in VS Code, and start it there',
} as const
const SERVERS = { key: 'mcpServers', address: toUrl } as const

export const MCP_HOSTS = [
  {
    ...SERVERS,
    name: 'claude-desktop',
    title: 'Claude Desktop',
    address:
      'Claude Desktop reads no addresses from its file: leave --transport out, or add it in Settings, Connectors',
    hasComments: false,
    afterwards: 'quit Claude Desktop and start it again',
  },
  {
    ...SERVERS,
    name: 'claude-code',
    title: 'Claude Code',
    address: toTyped,
    hasComments: false,
    afterwards: 'start Claude Code again, and look with /mcp',
  },
  {
    ...SERVERS,
    name: 'cursor',
    title: 'Cursor',
    hasComments: true,
    afterwards: 'start Cursor again, or switch the server on in its settings',
  },
  { ...CODE, name: 'vscode', title: 'VS Code' },
  { ...CODE, name: 'vscode-insiders', title: 'VS Code Insiders' },
  {
    ...SERVERS,
    name: 'windsurf',
    title: 'Windsurf',
    address: (serverUrl) => ({ serverUrl }),
    hasComments: true,
    afterwards: 'refresh the servers in the MCP panel of Windsurf',
  },
  {
    name: 'zed',
    title: 'Zed',
    key: 'context_servers',
    address: toUrl,
    hasComments: true,
    afterwards: 'look in the settings of the agent panel; Zed takes it up by itself',
  },
  {
    ...SERVERS,
    name: 'gemini-cli',
    title: 'Gemini CLI',
    // Its `url` is the address of a server over HTTP with SSE, which no revision of today has.
    address: (httpUrl) => ({ httpUrl }),
    hasComments: true,
    afterwards: 'start Gemini CLI again, and look with /mcp',
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    address: toUrl,
    hasComments: true,
    afterwards: 'start Codex again, and look with /mcp',
  },
  {
    ...SERVERS,
    name: 'lm-studio',
    title: 'LM Studio',
    hasComments: false,
    afterwards: 'switch the server on in the Program tab of LM Studio',
  },
] as const satisfies readonly McpHost[]
