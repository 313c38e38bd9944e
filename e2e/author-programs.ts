/** What authors of workers count on, as programs in plain JavaScript on the packed packages: each prints `says`, and nothing on stderr. */
export const AUTHOR_PROGRAMS = {
  turns: {
    says: '1 lent, 5 conflict',
    code: `import { fork } from 'node:child_process'
import { startMockEngine } from '@iii/mock-engine'
import { createStateScope, Fault, registerWorker, toFault } from '@iii/sdk'

async function lend(url) {
  const worker = registerWorker(url)
  await worker.ready()
  const loans = createStateScope(worker, 'loans')
  const lendTo = (reader) => loans.inTurn('Emma', async () => {
    if ((await loans.get('Emma')) !== undefined) throw new Fault('conflict', 'Emma is lent')
    await loans.set('Emma', { reader })
    return 'lent'
  })
  const asked = ['Ada', 'Bob'].map((reader) => lendTo(reader).catch((error) => toFault(error).code))
  process.send(await Promise.all(asked))
  await worker.shutdown()
}

async function main() {
  const engine = await startMockEngine()
  const heard = Array.from({ length: 3 }, () => new Promise((resolve) => fork(process.argv[1], [engine.url]).on('message', resolve)))
  const outcomes = (await Promise.all(heard)).flat()
  const count = (word) => outcomes.filter((outcome) => outcome === word).length
  console.log(\`\${count('lent')} lent, \${count('conflict')} conflict\`)
  await engine.close()
}

await (process.argv[2] === undefined ? main() : lend(process.argv[2]))
`,
  },
  testing: {
    says: 'green 2 | invalid_input cups: must be a number, not a string | result_invalid',
    code: `import { callAsClient, startMockEngine } from '@iii/mock-engine'
import { createLog, publish, registerMcpFunction, registerWorker } from '@iii/sdk'
import { z } from 'zod'

const engine = await startMockEngine()
const worker = registerWorker(engine.url, { name: 'tea' })
const careless = registerWorker(engine.url, { name: 'careless', log: createLog({ name: 'careless', level: 'silent' }) })
const make = async ({ cups }, { ask, progress }) => {
  const { content } = await ask.form('Which tea?', z.object({ kind: z.string() }))
  await progress(cups, cups)
  return { kind: content.kind }
}
registerMcpFunction(worker, 'tea::make', make, { request_format: z.object({ cups: z.int() }) })
careless.registerFunction('tea::menu', () => ({ tea: 'green' }), { response_format: z.object({ teas: z.array(z.string()) }) })
publish(worker, { skills: [{ id: 'tea', skill: '# Tea' }] })
await worker.ready()
await careless.ready()
const steps = []
const onProgress = ({ progress }) => steps.push(progress)
const { kind } = await callAsClient(engine, 'tea::make', { cups: 2 }, { answers: { 'Which tea?': { kind: 'green' } }, onProgress })
const wrong = await engine.call('tea::make', { cups: 'two' }).catch((error) => error)
const broken = await callAsClient(engine, 'tea::menu').catch((error) => error)
console.log([\`\${kind} \${steps}\`, \`\${wrong.code} \${wrong.message}\`, broken.code].join(' | '))
await Promise.all([worker.shutdown(), careless.shutdown()])
await engine.close()
`,
  },
  surface: {
    says: 'none, createCapture, rules, explainUri',
    code: `import * as cli from '@iii/sdk/cli'
import * as sdk from '@iii/sdk'
import { formatUri, parseUri, refuse } from '@iii/protocol'

const twice = Object.keys(cli).filter((name) => name in sdk)
const own = ['createCapture', 'wrap', 'formatTable'].every((name) => name in cli)
const said = (work) => {
  try {
    return work()
  } catch ({ message }) {
    return message
  }
}
const words = [said(() => refuse('tea::make', {})), said(() => formatUri(parseUri('tea')))]
const found = ['rules', 'explainUri'].filter((word, nth) => words[nth].includes(word))
console.log([twice.join(' ') || 'none', own ? 'createCapture' : 'missing', ...found].join(', '))
`,
  },
} as const
