/**
 * An MCP server on stdio that does what its one argument says, as JSON: without any library, so that a test sees what is on the wire.
 * `tools` are listed, and called by what they are named after; `pages` splits the list; `before` is written to stdout first; `initialize`
 * stands in for its result.
 */

import process from 'node:process'
import { createInterface } from 'node:readline'

const script = JSON.parse(process.argv[2] ?? '{}')
const tools = script.tools ?? ['echo']
const waiting = new Map()
let asked = 0

const write = (text) => process.stdout.write(text)
const say = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const toTool = (tool) => (typeof tool === 'string' ? { name: tool, inputSchema: { type: 'object' } } : tool)
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })

if (script.before !== undefined) write(script.before)
if (script.stderr !== undefined) process.stderr.write(script.stderr)
if (script.exit !== undefined) process.exit(script.exit)

const calls = {
  echo: (id, { arguments: args }) =>
    say({ id, result: { content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args } }),
  fail: (id) => say({ id, result: { ...text('it is broken'), isError: true } }),
  refuse: (id) => say({ id, error: { code: -32602, message: 'a is no number' } }),
  exit: () => process.exit(3),
  never: (id) => void waiting.set(id, true),
  pid: (id) => say({ id, result: text(process.pid) }),
  raw: (id, { arguments: { lines } }) => {
    for (const line of lines) write(`${line.replaceAll('$ID', String(id))}\n`)
  },
  report(id, { _meta }) {
    say({ method: 'notifications/message', params: { level: 'info', data: 'working' } })
    if (_meta?.progressToken !== undefined) {
      say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1, total: 2 } })
    }
    say({ id, result: text(_meta?.progressToken === undefined ? 'unasked' : 'reported') })
  },
  change(id, { arguments: { add } }) {
    tools.push(add)
    say({ method: 'notifications/tools/list_changed' })
    say({ id, result: text('changed') })
  },
  cancelled: (id) => say({ id, result: text(JSON.stringify(cancelled)) }),
}
const cancelled = []

const methods = {
  initialize: (id, { protocolVersion }) => {
    if (script.silent === true) return
    const capabilities = script.capabilities ?? { tools: { listChanged: true } }
    const serverInfo = { name: 'scripted', version: '1.0.0' }
    const result = { protocolVersion, capabilities, serverInfo, instructions: 'be good', ...script.initialize }
    say({ id, result })
  },
  'tools/list'(id, { cursor }) {
    asked++
    if (script.cursor !== undefined)
      return say({ id, result: { tools: [], nextCursor: script.cursor === 'endless' ? String(asked) : script.cursor } })
    if (script.count !== undefined)
      return say({ id, result: { tools: Array.from({ length: script.count }, (_, n) => toTool(`t${n}`)) } })
    const size = script.pages ?? tools.length
    const from = Number(cursor ?? 0)
    const next = from + size < tools.length ? { nextCursor: String(from + size) } : {}
    say({ id, result: { tools: tools.slice(from, from + size).map(toTool), ...next } })
  },
  'tools/call'(id, params) {
    const call = Object.hasOwn(calls, params.name) ? calls[params.name] : calls.echo
    call(id, params)
  },
  'resources/list': (id) => say({ id, result: { resources: [{ uri: 'notes://1', name: 'one' }] } }),
  'resources/templates/list': (id) =>
    say({ id, result: { resourceTemplates: [{ uriTemplate: 'notes://{n}', name: 'any' }] } }),
  'resources/read': (id, { uri }) => say({ id, result: { contents: [{ uri, text: 'a note' }] } }),
  'prompts/list': (id) => say({ id, result: { prompts: [{ name: 'sum', arguments: [{ name: 'of' }] }] } }),
  'prompts/get': (id, params) =>
    say({ id, result: { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(params) } }] } }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === 'notifications/cancelled') cancelled.push(params.reason)
  if (id !== undefined && method !== undefined) methods[method]?.(id, params)
})
