import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toOutline } from '../markdown/outline.ts'
import type { SkillInfo } from '../skills/skills.ts'
import { startRegistry } from '../testing/registry.ts'
import { toSkillBrief } from './brief.ts'

const info = (id: string, summary?: string, priority?: number): SkillInfo => ({
  id,
  summary,
  priority,
  title: undefined,
  bytes: 1,
  registered_at: '2026-05-05T00:00:00Z',
})

describe('the index in instructions', () => {
  it('has a line each, the most important first, then those in no other, then by id', () => {
    const infos = [
      info('b/deep', 'Below.'),
      info('b', 'Second.'),
      info('least', 'Optional.', 0),
      info('c/needed', 'First.', 1),
      info('a'),
    ]
    expect(toSkillBrief(infos)).toBe(
      [
        'The skills:',
        '- iii://c/needed: First.',
        '- iii://a',
        '- iii://b: Second.',
        '- iii://b/deep: Below.',
        '- iii://least: Optional.',
      ].join('\n'),
    )
  })

  it('says nothing where there is no skill, and nothing of one that no address leads to', () => {
    expect(toSkillBrief([])).toBe('')
    expect(toSkillBrief([info('Not An Id', 'Unreachable.')])).toBe('')
  })

  it('leaves out what does not fit, says of how many it is a part, and goes on with what does', () => {
    const infos = [info('first', 'x'.repeat(60), 1), info('second', 'y'.repeat(300), 0.9), info('third', 'z', 0.8)]
    expect(toSkillBrief(infos, 200)).toBe(
      `Some of the 3 skills, of which iii://skills has all:\n- iii://first: ${'x'.repeat(60)}\n- iii://third: z`,
    )
  })

  it('never has more than 2000 characters nor a line of its own making, however many skills there are', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    const skill = fc.record({ id: fc.stringMatching(/^[a-z]{1,64}(\/[a-z]{1,64}){0,3}$/), text })
    fc.assert(
      fc.property(fc.array(skill, { minLength: 1, maxLength: 300 }), (skills) => {
        const infos = skills.map(({ id, text }) => ({ ...info(id), ...toOutline(`# T\n\n${text}`) }))
        const brief = toSkillBrief(infos)
        expect(brief.length).toBeLessThanOrEqual(2000)
        for (const line of brief.split('\n').slice(1)) expect(line).toMatch(/^- iii:\/\//)
      }),
      { numRuns: 50 },
    )
  })

  it('is of what the asker reads, and of what is registered at that moment', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const brief = async (prefixes?: string[]) =>
      (await registry.call<{ text: string }>(agentSkillsFunctions.brief.id, { prefixes })).text
    expect(await brief()).toBe('')
    await registry.call('skills::register', { id: 'orders', skill: '# Orders\n\nCreate orders.' })
    await registry.call('skills::register', { id: 'secret', skill: '---\npriority: 1\n---\n# Secret\n\nNobody knows.' })
    expect(await brief()).toBe('The skills:\n- iii://secret: Nobody knows.\n- iii://orders: Create orders.')
    expect(await brief(['orders'])).toBe('The skills:\n- iii://orders: Create orders.')
    expect(await brief([])).toBe('')
    await registry.call('skills::unregister', { id: 'secret' })
    expect(await brief()).toBe('The skills:\n- iii://orders: Create orders.')
  })
})
