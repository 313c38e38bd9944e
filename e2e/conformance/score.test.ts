import { describe, expect, it } from 'vitest'
import { formatScore, type Scenario, type SuiteCheck, toScore, withoutSkips } from './score.ts'

function check(id: string, status: SuiteCheck['status'], errorMessage?: string): SuiteCheck {
  return { id, name: id, description: `About ${id}`, status, ...(errorMessage !== undefined && { errorMessage }) }
}

const good: Scenario = { name: 'ping', checks: [check('ping', 'SUCCESS'), check('wire-schema-valid', 'SUCCESS')] }

describe('the score of a set', () => {
  it('is perfect when every scenario passes', () => {
    const score = toScore([good, { name: 'tasks', unscored: 'extension', checks: [check('tasks', 'SUCCESS')] }])
    expect(score).toEqual({
      scored: { passed: 1, of: 1 },
      unscored: { passed: 1, of: 1 },
      notRun: [],
      checks: { passed: 3, of: 3 },
      warnings: 0,
      problems: [],
    })
    expect(formatScore('2026-07-28', score)).toBe('2026-07-28  scored 1/1, not scored 1/1, 0 warnings, 3/3 checks')
  })

  it('names what fails and what warns, in a line with its reason', () => {
    const bad = [check('a', 'FAILURE', 'Not\n  there'), check('b', 'WARNING'), check('c', 'SUCCESS')]
    const score = toScore([good, { name: 'tools', checks: bad }])
    expect(score).toMatchObject({ scored: { passed: 1, of: 2 }, warnings: 1, checks: { passed: 3, of: 5 } })
    expect(formatScore('all', score)).toBe(
      [
        'all         scored 1/2, 1 warnings, 3/5 checks',
        '  ✗ tools: a fails: Not there',
        '  ✗ tools: b warns: About b',
      ].join('\n'),
    )
  })

  it('counts a warning in a scenario that the suite does not score', () => {
    const score = toScore([{ name: 'tools', unscored: 'pending', checks: [check('b', 'WARNING', 'too late')] }])
    expect(score.problems).toEqual(['tools (not scored: pending): b warns: too late'])
  })

  it('is not fooled by a scenario that looked at nothing', () => {
    const info = { name: 'polling', checks: [check('content-type', 'INFO'), check('wire-schema-valid', 'SUCCESS')] }
    expect(toScore([info, { name: 'lost', checks: [] }]).problems).toEqual([
      'polling: nothing was checked',
      'lost: nothing was checked',
    ])
  })

  it('leaves out a scenario that the suite may skip, and names it', () => {
    const skipped = [check('notes', 'SKIPPED'), check('found', 'INFO'), check('wire-schema-valid', 'SUCCESS')]
    const some = [good, { name: 'notes', unscored: 'extension', checks: skipped }, { name: 'more', checks: skipped }]
    const score = toScore(some, { notes: 'it looks elsewhere', more: 'it looks elsewhere' })
    expect(score).toMatchObject({ scored: { passed: 1, of: 1 }, unscored: { passed: 0, of: 0 }, problems: [] })
    expect(formatScore('all', score)).toBe(
      [
        'all         scored 1/1, not run 2, 0 warnings, 2/2 checks',
        '  - notes was not run',
        '  - more was not run',
      ].join('\n'),
    )
  })

  it('is not perfect when anything else is skipped: a scenario, or a check in one', () => {
    const half = { name: 'half', checks: [check('a', 'SUCCESS'), check('b', 'SKIPPED', 'no b here')] }
    const score = toScore([{ name: 'notes', checks: [check('notes', 'SKIPPED')] }, half], { half: 'never as a whole' })
    expect(score).toMatchObject({ scored: { passed: 0, of: 1 }, notRun: ['notes'] })
    expect(score.problems).toEqual([
      'half: b was skipped: no b here',
      'notes: all of it was skipped, which no list allows',
    ])
  })

  it('says the same thing once, and long reasons in short', () => {
    const twice = [check('a', 'FAILURE', 'x'.repeat(1000)), check('a', 'FAILURE', 'x'.repeat(1000))]
    const { problems } = toScore([{ name: 'tools', checks: twice }])
    expect(problems).toEqual([`tools: a fails: ${'x'.repeat(400)}…`])
  })
})

describe('what is left out', () => {
  it('does not count, whether it is a scenario or a check in one', () => {
    const scenarios = [
      { name: 'headers', checks: [check('host', 'FAILURE')] },
      { name: 'both', checks: [check('reply', 'SUCCESS'), check('status', 'FAILURE')] },
      { name: 'nothing-else', checks: [check('status', 'FAILURE')] },
    ]
    const left = withoutSkips(scenarios, { scenarios: { headers: 'of HTTP' }, checks: { status: 'of HTTP' } })
    expect(toScore(left)).toMatchObject({
      scored: { passed: 1, of: 2 },
      problems: ['nothing-else: nothing was checked'],
    })
  })
})
