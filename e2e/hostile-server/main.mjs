/**
 * An MCP server over stdio that behaves as its first word says: `node main.mjs MODE [key=value …]`. It needs nothing but
 * Node, so that it starts fast and says nothing that it was not told to say. `modes.mjs` has the words.
 *
 * journal=FILE  one JSON line for each process that it is and for each message that it gets
 * Whatever else is there is an option of its mode.
 */
import { appendFileSync } from 'node:fs'
import { argv, env, pid, ppid, stdin } from 'node:process'
import { createHonest } from './honest.mjs'
import { MODES } from './modes.mjs'
import { send } from './wire.mjs'

const KEPT_CHARACTERS = 2000

const [mode = 'honest', ...words] = argv.slice(2)
const options = Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2)))
const createMode = MODES[mode]
if (createMode === undefined) throw new Error(`modes are ${Object.keys(MODES).join(', ')}, not ${mode}`)

/** Synchronous: what was written is there, however this process ends. */
function note(what, more = {}) {
  if (options.journal) appendFileSync(options.journal, `${JSON.stringify({ what, pid, mode, ...more })}\n`)
}

note('start', { ppid, variables: env, cwd: process.cwd() })
const honest = createHonest({ options, note })
const server = { ...honest, ...createMode({ honest, options, note, send }) }
server.start?.()
if (server.reads !== false) readLines(receive)

function readLines(take) {
  let rest = ''
  stdin.setEncoding('utf8')
  stdin.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stdin.on('end', () => server.leave?.())
}

function receive(line) {
  note('received', { line: line.slice(0, KEPT_CHARACTERS) })
  const message = JSON.parse(line)
  if (message.method === undefined) server.onReply?.(message)
  else if (message.id === undefined) server.onNotification?.(message)
  else void answer(message)
}

async function answer({ id, method, params = {} }) {
  const handle = server.methods[method]
  try {
    if (handle === undefined) throw { code: -32601, message: `no method ${method}` }
    const result = await handle(params, id)
    if (result !== undefined) send({ id, result })
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.message, data: error.data } })
  }
  server.onAnswered?.(method)
}
