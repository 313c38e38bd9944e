/**
 * A worker as somebody outside of this repository writes it: on the official `iii-sdk`, with nothing of ours. It offers
 * tools, a section, a skill and a prompt.
 */
import { argv } from 'node:process'
import { registerWorker } from 'iii-sdk'

const iii = registerWorker(argv[2] ?? 'ws://127.0.0.1:49134', { workerName: 'demo' })

iii.registerFunction('demo::add', async ({ a, b }: { a: number; b: number }) => ({ sum: a + b }), {
  description: 'Adds two numbers.',
  request_format: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  metadata: { 'mcp.expose': true },
})

iii.registerFunction('demo::boom', async () => {
  throw new Error('The demo exploded')
})

iii.registerFunction('demo::guide', async () => ({
  content: '# Demo guide\n\nThe long-form docs for the demo worker.',
}))

iii.registerFunction('demo::greet_prompt', async ({ name = 'world' }: { name?: string }) => ({
  content: `Greet ${name} warmly.`,
}))

await iii.trigger({
  function_id: 'skills::register',
  payload: {
    id: 'demo',
    skill: '# demo\n\nA demo worker.\n\nSee [`guide`](iii://fn/demo/guide) for the long version.\n',
  },
})

await iii.trigger({
  function_id: 'prompts::register',
  payload: {
    name: 'greet',
    description: 'Compose a greeting.',
    arguments: [{ name: 'name', description: 'Who to greet', required: true }],
    function_id: 'demo::greet_prompt',
  },
})
