import { expect, it } from 'vitest'
import { z } from 'zod'
import { startScriptedStage } from '../testing/start-worker.ts'

it.each([
  'state::get',
  'engine::health::check',
  'stream::send',
  'configuration::get',
  'iii::queue::redrive',
  'publish',
])('the log warns once of a function with an id of the engine: %s', async (id) => {
  await using stage = await startScriptedStage()
  const registration = stage.worker.registerFunction(id, () => null)
  registration.replace(() => null)
  registration.refresh()
  const says = `'${id}' is an id of the engine: where the engine has a function of that id, everybody on it loses it to this worker, until it restarts; and no client is shown it. Give the function another id`
  expect(stage.log.messages('warn')).toEqual([says])
  expect(stage.log.lines.find(({ level }) => level === 'warn')?.fields).toEqual({ function_id: id })
})

it('nor of what the SDK has for itself, or what only begins alike', async () => {
  await using stage = await startScriptedStage({ watchOwnership: true })
  const streams = ['get', 'set', 'delete', 'list', 'list_groups'].map((verb) => `stream::${verb}(chat)`)
  for (const id of ['states::get', 'publish::it', 'orders::engine', ...streams])
    stage.worker.registerFunction(id, () => null)
  expect(stage.log.messages('warn')).toEqual([])
})

it('the log warns once of arguments that some agents cannot use', async () => {
  await using stage = await startScriptedStage()
  const request_format = z.object({ _id: z.string(), $top: z.number(), self: z.string(), model_config: z.string() })
  const registration = stage.worker.registerFunction('tea::make', () => null, { request_format })
  registration.replace(() => 1, { request_format })
  expect(stage.log.messages('warn')).toEqual([
    expect.stringMatching(
      /^some agents cannot use 'tea::make' because of the names of arguments: "_id" \(Python .*\), "\$top" \(model .*\), "self" \(Python .*\), …$/,
    ),
  ])
})

it.each([{ metadata: { internal: true } }, { mcp: { expose: false } }])(
  'of those of a function that no agent sees it says nothing: %j',
  async (hidden) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('tea::make', () => null, { request_format: z.object({ _id: z.string() }), ...hidden })
    expect(stage.log.messages('warn')).toEqual([])
  },
)
