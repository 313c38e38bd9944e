import { checkFunctionId, formatToolName, refuseInternal } from '@iii/protocol'
import { NODE_HEAD, NODE_RUN, NODE_STEPS, toCodeBlock, toLiteral } from './code.ts'
import type { CannedPrompt } from './prompt.ts'

const LANGUAGES: ReadonlyMap<string, 'node' | 'python'> = new Map([
  ['node', 'node'],
  ['javascript', 'node'],
  ['js', 'node'],
  ['typescript', 'node'],
  ['ts', 'node'],
  ['python', 'python'],
  ['py', 'python'],
])

/** How to offer a function, in three steps. */
export const registerFunctionPrompt: CannedPrompt = {
  name: 'register-function',
  title: 'Register a function',
  description: 'Guide to register a function',
  arguments: [
    {
      name: 'language',
      description: 'Language of the worker: node or python',
      values: () => ['node', 'python'],
    },
    {
      name: 'function_id',
      description: 'Id of the new function, for example orders::place',
      values: async ({ functionIds }) => toNamespaces(await functionIds()),
    },
  ],
  render({ language: asked = '', function_id: id = '' }, { rules }) {
    const language = LANGUAGES.get(asked.trim().toLowerCase())
    if (language === undefined) {
      return { mistake: `Unsupported language \`${asked}\`. Pass \`language=node\` or \`language=python\`.` }
    }
    const mistake = checkFunctionId(id) ?? checkCharacters(id) ?? refuseInternal(id, undefined, 'tool')?.message
    if (mistake !== undefined) return { mistake }
    const metadata: Record<string, string> = rules.tier === undefined ? {} : { 'mcp.tier': rules.tier }
    const steps = language === 'node' ? toNodeSteps(id, metadata) : toPythonSteps(id, metadata)
    return [
      `Register the function \`${id}\` on the iii engine, in three steps.`,
      ...steps,
      `3. See that it is there: MCP clients have the tool \`${formatToolName(id)}\` now, and \`iii://functions/${id}\` shows it. Then write what it is for: the handler, the description, and the schema of its input.`,
    ].join('\n\n')
  },
}

function checkCharacters(id: string): string | undefined {
  return /[\s\p{C}`]/u.test(id)
    ? `function_id may not have spaces, backticks and what nobody sees, for example orders::place: ${JSON.stringify(id)}`
    : undefined
}

function toNodeSteps(id: string, metadata: Readonly<Record<string, string>>): string[] {
  const code = `${NODE_HEAD}

worker.registerFunction(
  ${toLiteral(id)},
  async ({ name = 'world' }) => {
    return { greeting: 'Hello, ' + name }
  },
  {
    description: 'What it does, in one sentence',
    request_format: { type: 'object', properties: { name: { type: 'string' } } },
    metadata: ${toObject({ 'mcp.expose': 'true', ...literals(metadata) })},
  },
)`
  return [`1. ${NODE_STEPS}`, toCodeBlock('js', code), `2. ${NODE_RUN}`]
}

function toPythonSteps(id: string, metadata: Readonly<Record<string, string>>): string[] {
  const code = `import os

from iii import InitOptions, register_worker

url = os.environ.get('III_URL', 'ws://127.0.0.1:49134')
worker = register_worker(url, InitOptions(otel={'engine_ws_url': url}))


async def handler(data):
    return {'greeting': 'Hello, ' + data.get('name', 'world')}


worker.register_function(
    ${toLiteral(id)},
    handler,
    description='What it does, in one sentence',
    request_format={'type': 'object', 'properties': {'name': {'type': 'string'}}},
    metadata={${toMembers({ 'mcp.expose': 'True', ...literals(metadata) })}},
)`
  return [
    '1. `pip install iii-sdk` (Python 3.10 or newer), and save this as `worker.py`:',
    toCodeBlock('python', code),
    '2. Run it with `python worker.py` and leave it running; `III_URL` names an engine that is not at `ws://127.0.0.1:49134`.',
  ]
}

function literals(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toLiteral(value)]))
}

function toObject(members: Readonly<Record<string, string>>): string {
  return `{ ${toMembers(members)} }`
}

function toMembers(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([key, value]) => `${toLiteral(key)}: ${value}`)
    .join(', ')
}

/** What ids begin with: `orders::` of `orders::place`. */
function toNamespaces(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.slice(0, id.lastIndexOf('::') + 2)))].filter((text) => text.endsWith('::'))
}
