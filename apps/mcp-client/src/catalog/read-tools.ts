import { createHash } from 'node:crypto'
import { isRecord, toTitle } from '@iii/protocol'
import { type JsonBounds, toCanonicalJson } from '@iii/protocol/canonical-json'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import { boundDiagnostics, leaveOut } from './left-out.ts'
import type { ReceivedTool } from './received-tool.ts'

/** What a list of a server holds, and what of it was left out. */
export interface ToolReading {
  readonly tools: readonly ReceivedTool[]
  readonly diagnostics: readonly Diagnostic[]
}

/** In UTF-16 units. The specification asks for 128 at most. */
const MAX_NAME_LENGTH = 1_024
/** More levels than any tool has, and more text: schemas have at most 64 KiB, descriptions 4. */
const BOUNDS: JsonBounds = { levels: 100, characters: 1_048_576 }

/**
 * Reads the tools of a list as a server gives them. What is malformed is left out, and so are all tools of a name that comes twice:
 * which of them a call would reach is the server's secret. Never throws.
 *
 * @param filter takes secrets out of everything but the names, by which the server is called
 */
export function readTools(raw: readonly unknown[], filter: SecretFilter): ToolReading {
  const tools = new Map<string, ReceivedTool>()
  const seen = new Set<string>()
  const twice = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const entry of raw) {
    const tool = readTool(entry, filter)
    if (seen.has(tool.name)) twice.add(tool.name)
    else if ('problem' in tool) diagnostics.push(leaveOut(filter.text(tool.name), tool.problem))
    else tools.set(tool.name, tool)
    if (tool.name !== '') seen.add(tool.name)
  }
  for (const name of twice) {
    tools.delete(name)
    diagnostics.push(
      leaveOut(filter.text(name), 'comes more than once in the list of the server, and is left out each time'),
    )
  }
  return { tools: [...tools.values()], diagnostics: boundDiagnostics(diagnostics) }
}

/** What of a tool is pinned: all that a model reads or a host decides by. */
const PINNED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** The part of a definition that is pinned, as received. */
export function toPinned(definition: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(PINNED.flatMap((key) => (Object.hasOwn(definition, key) ? [[key, definition[key]]] : [])))
}

function readTool(
  entry: unknown,
  filter: SecretFilter,
): ReceivedTool | { readonly name: string; readonly problem: string } {
  if (!isRecord(entry)) return { name: '', problem: 'is no object; a tool is one with a name and an inputSchema' }
  const { name } = entry
  if (typeof name !== 'string' || name === '') return { name: '', problem: 'has no name; a tool needs one' }
  const problem = explainName(name, filter) ?? explainFields(entry)
  if (problem !== undefined) return { name, problem }
  const whole = toCanonicalJson(toPinned(entry), BOUNDS)
  if (whole === undefined) return { name, problem: 'is larger than 1 MiB or nested deeper than 100 levels' }
  const definition = filter.value(entry)
  const text = definition === entry ? whole : (toCanonicalJson(toPinned(definition), BOUNDS) ?? whole)
  return { name, hash: createHash('sha256').update(text).digest('hex'), definition }
}

function explainName(name: string, filter: SecretFilter): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return `has a name of more than ${MAX_NAME_LENGTH} characters`
  if (!name.isWellFormed()) return 'has half of a surrogate pair in its name'
  if (filter.text(name) !== name) return 'has a secret of its server in its name'
  return toTitle(name) === undefined ? 'has a name of which nothing can be seen' : undefined
}

/** Some libraries write `null` for what is not there. */
function explainFields({ title, description, inputSchema, annotations }: Record<string, unknown>): string | undefined {
  if (typeof (title ?? '') !== 'string') return 'has a title that is no text'
  if (typeof (description ?? '') !== 'string') return 'has a description that is no text'
  if (!isRecord(annotations ?? {})) return 'has annotations that are no object'
  return isRecord(inputSchema) ? undefined : 'has no inputSchema that is an object'
}
