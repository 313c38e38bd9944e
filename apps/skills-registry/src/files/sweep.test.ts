import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { createStamps } from '../records/registered-at.ts'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry } from '../testing/registry.ts'
import { createSkillFiles } from './skill-files.ts'
import { startSweep } from './sweep.ts'

it('leaves a content that is stored anew while it is looked at, for the skill that is about to name it', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const { worker, settings } = registry
  const log = createTextLog()
  const live = { ...settings, onChange: () => () => undefined }
  const files = createSkillFiles({ worker, settings: live, stamp: createStamps(), log })
  const store = () => files.store('orders', [{ path: 'a.txt', text: 'a' }])
  const [fact] = await store()
  const skills = {
    list: async () => [],
    async read() {
      await store()
      return undefined
    },
  }
  const { sweep } = startSweep({ worker, skills, files, log, graceMs: 0 })
  await sweep().catch(() => undefined)
  expect(await files.read('orders', fact?.sha256 ?? '')).toMatchObject({ text: 'a' })
})
