import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  const config = join(folder.path, 'strict.yaml')
  await writeFile(config, 'ownership: strict\n')
  stack = cleanup.use(await startStack({ workers: ['skills'], skillsFlags: ['--config', config] }))
})
afterAll(() => cleanup.run())

const call = (function_id: string, payload: object = {}) =>
  stack.worker.trigger({ function_id, payload, timeoutMs: 5000 })

scenario(
  ['owners/strict'],
  'with strict ownership nobody but the worker that registered a skill changes or removes it, also after a restart',
  async () => {
    const other = connectToEngine(stack.engineUrl, 'other')
    try {
      const byOther = (function_id: string, payload: object) => other.trigger({ function_id, payload })
      await call('skills::register', { id: 'mine', skill: '# Mine' })
      for (let round = 1; round <= 2; round++) {
        const refusal = /The skill mine belongs to the worker 'test'.*\[forbidden\]/
        await expect(byOther('skills::register', { id: 'mine', skill: '# Yours' })).rejects.toThrow(refusal)
        await expect(byOther('skills::unregister', { id: 'mine' })).rejects.toThrow(refusal)
        await call('skills::register', { id: 'mine', skill: `# Mine ${round}` })
        expect(await call('skills::list')).toMatchObject({ skills: [{ id: 'mine', owner: 'test' }] })
        await stack.stop('skills')
        await stack.startSkills()
      }
      expect(await call('skills::resources-read', { uri: 'iii://mine' })).toMatchObject({
        contents: [{ text: '# Mine 2' }],
      })
    } finally {
      await other.shutdown()
    }
  },
)
