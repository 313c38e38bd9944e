import { isRecord } from '@iii/protocol'
import { readRegularFile } from '@iii/sdk'
import { getNodeValue, type ParseError, parseTree } from 'jsonc-parser'

/** Servers as another program has them in its configuration. */
export interface ForeignFile {
  /** By name, each as it stands there, and for which project alone. */
  readonly servers: readonly (readonly [name: string, entry: unknown, project?: string])[]
  /** What VS Code asks a person for, by id: what it is. */
  readonly inputs: ReadonlyMap<string, string>
}

const MAX_BYTES = 1024 * 1024

/** @throws what the system says, e.g. that there is no such file */
export function readForeignFile(path: string): ForeignFile | { readonly problem: string } {
  const content = readRegularFile(path, { maxBytes: MAX_BYTES })
  if (content.problem !== undefined) return { problem: `it ${content.problem}` }
  return parseForeign(content.bytes.toString('utf8'))
}

/** Reads JSON, with comments as far as there are any. Never throws. */
export function parseForeign(text: string): ForeignFile | { readonly problem: string } {
  const errors: ParseError[] = []
  try {
    const tree = parseTree(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined) return { problem: `line ${text.slice(0, error.offset).split('\n').length}: it is no JSON` }
    // Unlike the parser's own objects, these have no prototype: what is called `__proto__` is there as anything else.
    const whole: unknown = tree && getNodeValue(tree)
    const servers = findServers(whole) ?? (readKey(whole, 'projects') === undefined ? undefined : {})
    if (servers === undefined)
      return { problem: 'it has neither mcpServers nor servers, each a name with its settings' }
    return { servers: [...Object.entries(servers), ...findProjectServers(whole)], inputs: readInputs(whole) }
  } catch {
    return { problem: 'it is nested too deeply' }
  }
}

/** Claude, Cursor, Windsurf and others say `mcpServers`; VS Code says `servers`, in its settings below `mcp`. */
function findServers(whole: unknown): Readonly<Record<string, unknown>> | undefined {
  const candidates = [
    readKey(whole, 'mcpServers'),
    readKey(whole, 'servers'),
    readKey(readKey(whole, 'mcp'), 'servers'),
  ]
  return candidates.find(isRecord)
}

/** Claude Code adds a server to the project that it is asked in, where nobody says otherwise. */
function findProjectServers(whole: unknown): ForeignFile['servers'] {
  const projects = readKey(whole, 'projects')
  if (!isRecord(projects)) return []
  return Object.entries(projects).flatMap(([project, settings]) => {
    const servers = readKey(settings, 'mcpServers')
    return isRecord(servers) ? Object.entries(servers).map(([name, entry]) => [name, entry, project] as const) : []
  })
}

function readInputs(whole: unknown): ReadonlyMap<string, string> {
  const inputs = readKey(whole, 'inputs') ?? readKey(readKey(whole, 'mcp'), 'inputs')
  const list: readonly unknown[] = Array.isArray(inputs) ? inputs : []
  return new Map(
    list.flatMap((input) => {
      const [id, description] = [readKey(input, 'id'), readKey(input, 'description')]
      return typeof id === 'string' ? [[id, typeof description === 'string' ? description : ''] as const] : []
    }),
  )
}

function readKey(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
