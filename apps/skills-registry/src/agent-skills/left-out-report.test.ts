import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { toAgentFacts } from '../renditions/facts.ts'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry } from '../testing/registry.ts'
import { createLeftOutReport, MAX_TOLD } from './left-out-report.ts'
import { toView, type ViewOptions } from './view.ts'

function viewOf(ids: readonly string[], options: Partial<ViewOptions> = {}) {
  const infos = ids.map((id) => ({ id, bytes: id.length + 2, agent: toAgentFacts(id, `# ${id}`) }))
  return toView(infos, { frontmatter: 'render', ...options })
}

function createRecorded() {
  const log = createTextLog()
  return { report: createLeftOutReport(log), warnings: log.warnings }
}

const TEXT = 'a skill is not served as an Agent Skill: another one has its place'
const warningOf = (skill: string, path: string, other: string) => ({
  skill,
  reason: `${path} is the skill ${other} already, since '_' is served as '-': register one of them under another id`,
  text: TEXT,
})

describe('a skill whose place is taken', () => {
  it('is told of once, however often and by whomever skills are listed', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const list = (payload: object = {}) => registry.call(agentSkillsFunctions.list.id, payload)
    for (const id of ['a-b', 'a_b', '-x', 'c--d']) {
      await registry.call(skillsFunctions.register.id, { id, skill: `# ${id}` })
    }
    for (const payload of [{}, {}, { prefixes: ['a-b', 'a_b'] }]) await list(payload)
    await registry.call(skillsFunctions.register.id, { id: 'later', skill: '# later' })
    await list()
    expect(registry.warnings).toEqual([warningOf('a_b', 'a-b', 'a-b')])
  })

  it('is told of again when another skill has it', () => {
    const { report, warnings } = createRecorded()
    const before = viewOf(['x/a-b-c', 'x/a_b_c'])
    const now = viewOf(['x/a-b_c', 'x/a_b_c'])
    for (const view of [before, now, before, now]) report(view)
    expect(warnings).toEqual([warningOf('x/a_b_c', 'x/a-b-c', 'x/a-b-c'), warningOf('x/a_b_c', 'x/a-b-c', 'x/a-b_c')])
  })

  it('is not told of where its own name or front matter leaves it out', () => {
    const { report, warnings } = createRecorded()
    report(viewOf(['-x', 'c--d', 'orders'], { frontmatter: 'strict' }))
    expect(warnings).toEqual([])
  })

  it('is told of up to a number, and then lint is named, once', () => {
    const { report, warnings } = createRecorded()
    const ids = Array.from({ length: MAX_TOLD + 5 }, (_, at) => [`s${at}/a-b`, `s${at}/a_b`]).flat()
    for (let round = 0; round < 2; round += 1) report(viewOf(ids))
    expect(warnings).toHaveLength(MAX_TOLD + 1)
    expect(new Set(warnings.map(({ skill }) => skill)).size).toBe(MAX_TOLD + 1)
    expect(warnings.at(-1)).toEqual({
      text: 'more skills have places that are taken: `iii-skills lint` names all of them',
    })
  })
})
