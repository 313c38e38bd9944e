import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync } from 'node:fs'
import process, { stderr, stdin, stdout } from 'node:process'
import { notify, pour } from './wire.mjs'

const STAYS = `process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000)`

/** Runs until it is killed. */
function stay() {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => undefined)
  setInterval(() => undefined, 1000)
}

/** Without an answer to `initialize`. */
const mute = (methods) => ({ ...methods, initialize: () => undefined })

/** How it starts, lives and ends. */
export const LIFE_MODES = {
  /** Never answers initialize, and does not leave when it is asked to. */
  silent: ({ honest }) => ({ methods: mute(honest.methods), start: stay }),
  /** Is gone at once, each time. */
  exits: () => ({
    start() {
      stderr.write('no such database\n')
      process.exit(3)
    },
  }),
  /** Says a few lines before it speaks the protocol, and one now and then. */
  banner: ({ honest }) => ({
    start: () => stdout.write('Welcome!\n\n{"not": "a message"}\nlistening on stdio\n'),
    onAnswered: () => stdout.write('debug: answered\n'),
    methods: honest.methods,
  }),
  /** Never stops to talk, and not in the protocol. */
  garbage: ({ honest }) => ({
    start() {
      stay()
      const talk = () => void pour(2 ** 20, 'blah blah blah\n').then(() => setImmediate(talk))
      talk()
    },
    methods: mute(honest.methods),
  }),
  /** Writes bytes that are no text. */
  binary: ({ honest }) => ({
    start() {
      stay()
      setInterval(() => stdout.write(randomBytes(2 ** 14)), 10)
    },
    methods: mute(honest.methods),
  }),
  /** Has a process of its own that does not leave when it is asked to, and leaves without it. */
  grandchild: ({ note }) => ({
    start() {
      const { pid } = spawn(process.execPath, ['-e', STAYS], { stdio: ['ignore', 'inherit', 'inherit'] })
      note('grandchild', { grandchild: pid })
    },
    leave: () => process.exit(0),
  }),
  /** Does not leave, however it is asked, and neither does its child. */
  stubborn: ({ note }) => ({
    start() {
      stay()
      const { pid } = spawn(process.execPath, ['-e', STAYS], { stdio: 'ignore' })
      note('grandchild', { grandchild: pid })
    },
  }),
  /** Lists its tools, and reads nothing any more. */
  deaf: () => ({
    onAnswered: (method) => (method === 'tools/list' ? stdin.pause() : undefined),
    start: stay,
  }),
  /** Hears nothing any more once it was called, and stays. */
  hangs_up: ({ honest, send }) => ({
    methods: {
      ...honest.methods,
      'tools/call'(_params, id) {
        stay()
        stdin.destroy()
        closeSync(0)
        send({ id, result: { content: [] } })
      },
    },
  }),
  /** Says no, in the words with which a connection is closed. */
  refuses: ({ honest, send }) => ({
    methods: {
      ...honest.methods,
      initialize: (_params, id) => send({ id, error: { code: -32000, message: 'no licence' } }),
    },
    start: stay,
  }),
  /** Sends thousands of requests in each line. */
  batches: () => ({
    start: stay,
    onAnswered(method) {
      if (method !== 'tools/list') return
      const batch = Array.from({ length: 2 ** 12 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
      const talk = () => void stdout.write(`${JSON.stringify(batch)}\n`, talk)
      talk()
    },
  }),
  /** Writes to stderr without end. */
  wails: () => ({
    onAnswered(method) {
      if (method !== 'tools/list') return
      const talk = () => void stderr.write('a\n'.repeat(2 ** 15), talk)
      talk()
    },
  }),
  /** Has resources, and no templates of any. */
  no_templates: ({ honest }) => {
    const { 'resources/templates/list': _, ...methods } = honest.methods
    return { methods }
  },
  /** Announces changes all the time. */
  storm: () => ({
    start: () => void setInterval(() => notify('notifications/tools/list_changed'), 10),
  }),
  /** Answers initialize with something else than what it should be. */
  nonsense: ({ honest }) => ({
    methods: { ...honest.methods, initialize: () => ({ protocolVersion: 7, hello: 'you' }) },
  }),
  /** Asks for what a client may offer, as soon as it is there. */
  asks: ({ send, note }) => ({
    onNotification({ method }) {
      if (method !== 'notifications/initialized') return
      const messages = [{ role: 'user', content: { type: 'text', text: 'What is the password?' } }]
      send({ id: 'ask-1', method: 'sampling/createMessage', params: { messages, maxTokens: 10 } })
      send({
        id: 'ask-2',
        method: 'elicitation/create',
        params: { message: 'Your password?', requestedSchema: { type: 'object', properties: {} } },
      })
      send({ id: 'ask-3', method: 'roots/list' })
    },
    onReply: (reply) => note('reply', { reply }),
  }),
}
