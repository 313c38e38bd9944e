import { agentSkillsFunctions, Fault } from '@iii/protocol'
import { expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { createSkillBrief } from './skill-brief.ts'

it.each<[string, () => unknown, string]>([
  ['what the registry says', () => ({ text: 'x'.repeat(2000) }), 'x'.repeat(2000)],
  ['empty where that is longer than an index is', () => ({ text: 'x'.repeat(2001) }), ''],
  ['empty where that is something else', () => ({ text: 7 }), ''],
  ['empty where it says nothing', () => undefined, ''],
  [
    'empty where it does not answer',
    () => {
      throw new Fault('deadline', 'no answer')
    },
    '',
  ],
])('the index of skills is %s', async (_, answer, text) => {
  const asked: unknown[] = []
  const brief = createSkillBrief({
    ask: async ({ id }, payload, how) => {
      asked.push([id, payload, how])
      return answer()
    },
  })
  expect(await brief(EVERYBODY)).toBe(text)
  // Nobody waits long for a greeting.
  expect(asked).toEqual([[agentSkillsFunctions.brief.id, {}, { timeoutMs: 1_000 }]])
})
