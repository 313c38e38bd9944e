import { NODE_HEAD, NODE_RUN, NODE_STEPS, toCodeBlock } from './code.ts'
import type { CannedPrompt } from './prompt.ts'

const WORKER = `${NODE_HEAD}

worker.registerFunction('pipeline::accept', async ({ body }) => {
  await worker.trigger({
    function_id: 'iii::durable::publish',
    payload: { topic: 'pipeline.events', data: { ...body, accepted_at: new Date().toISOString() } },
  })
  return { status_code: 202, body: { accepted: true } }
})

worker.registerFunction('pipeline::process', async (event) => {
  console.log('processed', JSON.stringify(event))
  return {}
})

worker.registerTrigger({
  type: 'durable:subscriber',
  function_id: 'pipeline::process',
  config: { topic: 'pipeline.events' },
})

worker.registerTrigger({
  type: 'http',
  function_id: 'pipeline::accept',
  config: { api_path: '/pipeline', http_method: 'POST' },
})`

const TRY = `curl -X POST http://127.0.0.1:3111/pipeline -H 'content-type: application/json' -d '{"order":"o-1"}'`

/** How functions hand on work through a queue. */
export const eventPipeline: CannedPrompt = {
  name: 'event-pipeline',
  title: 'Build an event pipeline',
  description: 'Build an event-driven pipeline',
  arguments: [],
  render: () =>
    [
      'Build a pipeline: a request is accepted at once, and worked on by another function when its turn comes.',
      '`POST /pipeline` → `pipeline::accept` → topic `pipeline.events` → `pipeline::process`',
      `1. ${NODE_STEPS}`,
      toCodeBlock('js', WORKER),
      `2. ${NODE_RUN}`,
      '3. Send an event, and see the worker print it (the port is 3111 unless the engine was told otherwise):',
      toCodeBlock('sh', TRY),
      'What binds the second function to the topic is this trigger:',
      toCodeBlock(
        'json',
        JSON.stringify({ type: 'durable:subscriber', config: { topic: 'pipeline.events' } }, null, 2),
      ),
      [
        'It needs `iii-queue` among the workers of the engine, which brings topics.',
        'The named queues of `iii_trigger_enqueue` are something else: they come with the worker `queue`.',
        'Every function that is bound to the topic gets every event, and gets it again when it fails.',
        'A further step is the same once more: publish to the next topic, and bind the next function to that.',
      ].join(' '),
    ].join('\n\n'),
}
