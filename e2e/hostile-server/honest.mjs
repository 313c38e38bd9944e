import { readFileSync, watchFile } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { notify } from './wire.mjs'

const OBJECT = { type: 'object', properties: {} }

/** Tools that do what they say. */
const TOOLS = [
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  {
    name: 'wait',
    description: 'Takes its time.',
    inputSchema: { type: 'object', properties: { ms: { type: 'number' } } },
  },
  {
    name: 'count',
    description: 'Counts, and says how far it is.',
    inputSchema: { type: 'object', properties: { to: { type: 'number' } } },
  },
  { name: 'fail', description: 'Fails.', inputSchema: OBJECT },
  { name: 'refuse', description: 'Refuses its arguments.', inputSchema: OBJECT },
  { name: 'end', description: 'Ends the server.', inputSchema: OBJECT },
]

const text = (said) => ({ content: [{ type: 'text', text: said }] })

/**
 * A server as it should be; the modes replace parts of it.
 *
 * tools=FILE     its tools are those of that file, which it reads again when it changes
 * revision=DATE  the revision of the protocol that it answers with, whatever it is offered
 */
export function createHonest({ options, note }) {
  const cancelled = new Set()
  const calls = {
    echo: ({ text: said = '' }) => text(said),
    async wait({ ms = 60_000 }, id) {
      const end = performance.now() + ms
      while (performance.now() < end && !cancelled.has(id)) await pause(10)
      if (cancelled.has(id)) note('gave up', { id })
      return cancelled.has(id) ? undefined : text(`after ${ms} ms`)
    },
    async count({ to = 3 }, _id, progressToken) {
      for (let progress = 1; progress <= to; progress += 1) {
        if (progressToken !== undefined) notify('notifications/progress', { progressToken, progress, total: to })
        await pause(60)
      }
      return text(`counted to ${to}`)
    },
    fail: () => ({ ...text('it failed'), isError: true }),
    refuse() {
      throw { code: -32602, message: 'text has to be a word' }
    },
    end: () => process.exit(7),
  }
  return {
    calls,
    onNotification({ method, params }) {
      if (method === 'notifications/cancelled') cancelled.add(params.requestId)
    },
    start: () => announceChanges(options.tools),
    methods: {
      initialize: ({ protocolVersion }) => ({
        protocolVersion: options.revision ?? protocolVersion,
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} },
        serverInfo: { name: 'fixture', version: '1.0.0' },
      }),
      ping: () => ({}),
      'logging/setLevel': () => ({}),
      'tools/list': () => ({ tools: options.tools ? JSON.parse(readFileSync(options.tools, 'utf8')) : TOOLS }),
      'tools/call': ({ name, arguments: input = {}, _meta }, id) =>
        (Object.hasOwn(calls, name) ? calls[name] : () => text(`called ${name}`))(input, id, _meta?.progressToken),
      'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'first' }] }),
      'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
      'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Greet!' } }] }),
    },
  }
}

function announceChanges(file) {
  if (file) watchFile(file, { interval: 20, persistent: false }, () => notify('notifications/tools/list_changed'))
}
