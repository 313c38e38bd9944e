import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
})
afterAll(() => cleanup.run())

const call = <Result>(function_id: string, payload: object) =>
  stack.worker.trigger<Result>({ function_id, payload, timeoutMs: 10_000 })

scenario(
  ['skills/limits'],
  'front matter with keys, lists or brackets in each other keeps no registry busy',
  async () => {
    const openings = ['? ', '- ', '- ? ', '{? ', '[']
    const ids = openings.map((_, at) => `nested-${at}`)
    const register = (id: string, opening: string) =>
      call('skills::register', { id, skill: `---\nname: ${id}\nx:\n  ${opening.repeat(3000)}\n---\n# Text of ${id}\n` })
    await Promise.all(openings.map((opening, at) => register(`nested-${at}`, opening)))
    const { skills } = await call<{ skills: { id: string }[] }>('skills::list', {})
    expect(skills.map(({ id }) => id)).toEqual(ids)
    const { findings } = await call<{ findings: object[] }>('skills::lint', {})
    expect(findings).toHaveLength(ids.length)
  },
)
