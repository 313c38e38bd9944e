import { env, stderr, stdout } from 'node:process'
import { pour, send } from './wire.mjs'

const text = (said) => ({ content: [{ type: 'text', text: said }] })
const tool = (name) => ({ name, inputSchema: { type: 'object', properties: {} } })

/** Tools that answer like this. */
function withCalls(honest, calls) {
  const tools = [...Object.keys(calls).map(tool), tool('echo')]
  return {
    methods: {
      ...honest.methods,
      'tools/list': () => ({ tools }),
      'tools/call': (params, id) => (calls[params.name] ?? honest.calls[params.name])(params.arguments ?? {}, id),
    },
  }
}

/** A line that long, which is the result of the call. */
async function answerLong(id, bytes) {
  stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`)
  await pour(bytes)
  stdout.write('"}]}}\n')
}

/** What it answers. */
export const RESULT_MODES = {
  /** 100 MB in one line. */
  flood: ({ honest }) => withCalls(honest, { flood: (_, id) => answerLong(id, 100e6) }),
  large: ({ honest }) =>
    withCalls(honest, {
      text: () => text(`head ${'a'.repeat(3e6)} tail`),
      image: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(3e6) }] }),
      blocks: () => ({ content: Array.from({ length: 5000 }, (_, at) => ({ type: 'text', text: `block ${at}` })) }),
      /** Deeper than `JSON.stringify` goes. */
      deep(_, id) {
        const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
        stdout.write(
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":${deep}}}\n`,
        )
      },
      lone: () => text('half \ud800 a pair'),
      unknown: () => ({ content: [{ type: 'hologram', data: 'light' }] }),
      shapeless: () => 'no object at all',
    }),
  /** Says what it was given in confidence, wherever it can. */
  leaks: ({ honest }) => {
    const secret = env.TOKEN
    const leaks = withCalls(honest, {
      plain: () => text(`the token is ${secret}`),
      base64: () => text(Buffer.from(`token=${secret}`).toString('base64')),
      base64_alone: () => text(Buffer.from(secret).toString('base64')),
      percent: () => text(encodeURIComponent(secret)),
      structured: () => ({ content: [], structuredContent: { [secret]: [secret] } }),
      failed: () => ({ ...text(`401 for ${secret}`), isError: true }),
      fault() {
        throw { code: -32000, message: `401 for ${secret}`, data: { secret } }
      },
    })
    const { initialize } = leaks.methods
    leaks.methods.initialize = (params) => ({ ...initialize(params), instructions: `Use ${secret}` })
    return {
      ...leaks,
      start: () => stderr.write(`started with ${secret}\nand ${Buffer.from(secret).toString('base64')}\n`),
    }
  },
  /** Answers what nobody asked, and what it was asked more than once. */
  wrong_ids: ({ honest }) =>
    withCalls(honest, {
      repeated(_, id) {
        for (let time = 0; time < 3; time += 1) send({ id, result: text('again') })
      },
      foreign(_, id) {
        send({ id: 'nobody', result: text('for nobody') })
        send({ id: 1e9, result: text('for nobody') })
        send({ id: null, error: { code: -32000, message: 'for nobody' } })
        send({ id, result: text('for you') })
      },
      /** The first of two calls is answered with the id of the second. */
      swapped: (() => {
        let first
        return (_, id) => {
          if (first === undefined) first = id
          else for (const each of [id, first]) send({ id: each, result: text(`answer to ${each}`) })
        }
      })(),
    }),
  /** Results that break the output schema which it declares. */
  mismatch: ({ honest }) => ({
    methods: {
      ...honest.methods,
      'tools/list': () => ({
        tools: [
          {
            ...tool('number'),
            outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          },
        ],
      }),
      'tools/call': () => ({ ...text('seven'), structuredContent: { n: 'seven' } }),
    },
  }),
}
