import { createLog } from '@iii/sdk'
import { startSettings } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { findConflict, type Options, options } from './options.ts'

const DEFAULTS: Options = {
  skillsScope: 'skills',
  promptsScope: 'prompts',
  stateTimeoutMs: 10_000,
  ownership: 'open',
  leaseMs: 30_000,
  frontmatter: 'render',
  listSkillFiles: false,
  freshIndex: false,
}

/** What counts, with the file or environment of the operator on one side. */
function lay(ours: Partial<Options>, stored: Partial<Options>): Options {
  const give = (from: 'environment' | 'store', values: Partial<Options>) =>
    new Map(Object.entries(values).map(([name, value]) => [name, { value, from, name }]))
  const log = createLog({ name: 'test', level: 'silent' })
  const settings = startSettings({ options, findConflict }, { fixed: give('environment', ours), file: undefined }, log)
  settings.store(give('store', stored))
  return settings.value
}

describe('what is stored on the engine', () => {
  it.each<[ours: Partial<Options>, stored: Partial<Options>, counts: Partial<Options>]>([
    [{}, { ownership: 'strict' }, { ownership: 'strict' }],
    [{ ownership: 'strict' }, { ownership: 'open' }, { ownership: 'strict' }],
    [{ ownership: 'strict' }, {}, { ownership: 'strict' }],
    [{ stateTimeoutMs: 50 }, { stateTimeoutMs: 70 }, { stateTimeoutMs: 70 }],
    [{ skillsScope: 'mine' }, { skillsScope: 'mcp-session-keys' }, { skillsScope: 'mine' }],
    [{}, { promptsScope: 'other', freshIndex: true }, {}],
  ])('with %j, and %j there, is %j', (ours, stored, counts) => {
    expect(lay(ours, stored)).toEqual({ ...DEFAULTS, ...counts })
  })
})

describe('a scope', () => {
  const problem = (name: 'skillsScope' | 'promptsScope', scope: string) => {
    const read = options[name].schema.safeParse(scope)
    return read.success ? undefined : read.error.issues[0]?.message
  }

  it.each(['mcp-session-keys', 'runs', 'runs-locks', 'mcp-tasks::index'])(
    'is not %s, where others keep theirs',
    (scope) => {
      for (const name of ['skillsScope', 'promptsScope'] as const) {
        expect(problem(name, scope)).toMatch(/keeps its own rows; choose another name/)
      }
    },
  )

  it.each(['skills', 'prompts', 'team-skills', 'mcp', 'skills2'])('may be %s', (scope) => {
    expect(problem('skillsScope', scope)).toBeUndefined()
  })
})
