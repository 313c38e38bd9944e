import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'

const NAMES = ['ada', 'bob', 'eve', 'joe']
const ROUNDS = 25
const log = createLog({ name: 'test', level: 'silent' })

/** Connects one worker a name, and takes them down again. */
async function connectAll(url: string) {
  const workers = NAMES.map((name) => ({ name, worker: registerWorker(url, { name, log }) }))
  await Promise.all(workers.map(({ worker }) => worker.ready({ timeoutMs: 5000 })))
  return {
    workers,
    [Symbol.asyncDispose]: async () => void (await Promise.all(workers.map(({ worker }) => worker.shutdown()))),
  }
}

it('of workers that write one skill at the same time, every acknowledged text was stored, the last one stays, and events keep their order', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  await using writers = await connectAll(engine.url)
  const events = await subscribe<object>(registry.client, 'skills::on-change', 'test::on-change')
  const stored: string[] = []
  engine.onFrame(({ direction, text }) => {
    if (direction !== 'in' || !text.includes('"state::set"') || !text.includes('"scope":"skills"')) return
    const { data } = JSON.parse(text) as { data: { value: { skill: string } } }
    stored.push(data.value.skill)
  })

  const acknowledged: string[] = []
  await Promise.all(
    writers.workers.flatMap(({ name, worker }) =>
      Array.from({ length: ROUNDS }, async (_, round) => {
        const skill = `${name} ${round}`
        await worker.trigger({ function_id: 'skills::register', payload: { id: 'a', skill } })
        acknowledged.push(skill)
      }),
    ),
  )

  expect(acknowledged).toHaveLength(NAMES.length * ROUNDS)
  expect([...stored].sort()).toEqual([...acknowledged].sort())
  const last = stored.at(-1)
  expect(await registry.call('skills::resources-read', { uri: 'iii://a' })).toMatchObject({
    contents: [{ text: last }],
  })
  const byWhom = stored.map((skill) => skill.split(' ')[0])
  expect(await registry.call('skills::list')).toMatchObject({ skills: [{ id: 'a', owner: byWhom.at(-1) }] })
  // Nothing but the owner before tells one event from another.
  const expected = byWhom.map((name, at) => {
    const before = at === 0 ? undefined : byWhom[at - 1]
    const change = { op: 'register', id: 'a', changed: true }
    return before === undefined || before === name ? change : { ...change, previous_owner: before }
  })
  expect(await events.reach(expected.length)).toEqual(expected)
})
