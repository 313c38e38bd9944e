import fc from 'fast-check'
import { allow, behave, type MemoryProcess, type ProcessMessage, settle, startServer } from '../../readers.ts'
import { almostJson, anyText, json, objectOf } from '../inputs.ts'
import { type FuzzTarget, inTime } from '../target.ts'

const tool = objectOf({
  name: anyText,
  description: anyText,
  inputSchema: json,
  outputSchema: json,
  annotations: json,
  title: anyText,
})
const result = fc.oneof(
  json,
  objectOf({ protocolVersion: anyText, capabilities: json, serverInfo: objectOf({ name: anyText, version: anyText }) }),
  objectOf({ tools: fc.array(tool, { maxLength: 4 }), nextCursor: anyText }),
)
const reply = fc.oneof(
  result.map((value) => ({ kind: 'result' as const, value })),
  json.map((value) => ({ kind: 'error' as const, value })),
  almostJson.map((value) => ({ kind: 'line' as const, value })),
  fc.constant({ kind: 'well' as const, value: undefined }),
)
type Reply = { readonly kind: 'result' | 'error' | 'line' | 'well'; readonly value: unknown }

function say(process: MemoryProcess, message: ProcessMessage, { kind, value }: Reply): void {
  if (kind === 'well') behave(message, process)
  else if (kind === 'line') process.stdout.write(`${String(value)}\n`)
  else process.say({ id: message.id, [kind]: value })
}

/** What MCP servers of others say, to whoever runs them: it is told of, refused or taken, and the next server is well. */
export const serversTarget: FuzzTarget<readonly Reply[]> = {
  name: 'servers',
  values: 200,
  input: fc.array(reply, { minLength: 2, maxLength: 12 }),
  count: (all) => all.length,
  async run(all) {
    let at = 0
    await using stage = await startServer({
      answer: (message, process) => {
        const next = all[at++]
        if (next === undefined) behave(message, process)
        else say(process, message, next)
      },
    })
    await inTime('a server', allow(stage))
    const process = stage.processes.at(-1)
    if (process !== undefined) for (const one of all) say(process, { id: 1, method: 'tools/list' }, one)
    await inTime('a server', settle())
    if (stage.ids().some((id) => !/^[\w:-]+$/.test(id))) throw new Error(`registers ${stage.ids().join()}`)
  },
  async serves() {
    await using stage = await startServer()
    await allow(stage)
    if (stage.ids().length === 0) throw new Error('a good server has no functions')
  },
}
