import { checkScope, Fault, MAX_TIMEOUT_MS, STATE_SCOPES } from '@iii/protocol'
import { type OptionConflict, type OptionTable, withEnvironment } from '@iii/sdk'
import { z } from 'zod'

/** What can be set for the registry. */
export interface Options {
  /** The scope of the engine's state that holds the skills. @default 'skills' */
  skillsScope: string
  /** The scope of the engine's state that holds the prompts. @default 'prompts' */
  promptsScope: string
  /** How long the store, a section or a prompt handler may take. @default 10000 */
  stateTimeoutMs: number
  /** Who may overwrite or remove what another worker registered. @default 'open' */
  ownership: 'open' | 'strict'
  /** How long a worker may be away before what it published with a lease is taken out of lists. @default 30000 */
  leaseMs: number
  /** Whether a text that is no Agent Skill as it is gets front matter made for it where skills are served with their files. @default 'render' */
  frontmatter: 'render' | 'strict'
  /** Whether `resources/list` has the `SKILL.md` of each skill as well, beside its `iii://` address. @default false */
  listSkillFiles: boolean
  /** Whether a store without an index gets an empty one, instead of one of the records that it holds. @default false */
  freshIndex: boolean
}

const usual = STATE_SCOPES.skills

/** Any name but those that other workers of ours use. */
const scope = z
  .string()
  .min(1)
  .superRefine((name, context) => {
    const problem = checkScope(name, 'skills')
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

/**
 * Each can be set by `III_SKILLS_` and its key, and in the file. Scopes are never stored on the engine, where any worker can write: they
 * say where the data is, and one that belongs to another worker would be laid open.
 */
export const options: OptionTable<Options> = withEnvironment<Options>('III_SKILLS', {
  skillsScope: {
    yaml: 'scopes.skills',
    schema: scope,
    default: usual.skills,
    describe: 'State scope of the skills; another one starts empty.',
  },
  promptsScope: {
    yaml: 'scopes.prompts',
    schema: scope,
    default: usual.prompts,
    describe: 'State scope of the prompts; another one starts empty.',
  },
  stateTimeoutMs: {
    yaml: 'state_timeout_ms',
    stored: 'any',
    schema: z.int().min(1).max(MAX_TIMEOUT_MS),
    default: 10_000,
    describe: 'Milliseconds that state calls, sections and prompt handlers may take.',
  },
  ownership: {
    yaml: 'ownership',
    stored: (ours, stored) => (ours === 'strict' ? ours : stored),
    schema: z.enum(['open', 'strict']),
    default: 'open',
    describe: 'open: anybody may overwrite any skill or prompt; strict: only the worker that registered it.',
  },
  leaseMs: {
    yaml: 'lease_ms',
    stored: 'any',
    schema: z.int().min(1000).max(MAX_TIMEOUT_MS),
    default: 30_000,
    describe: 'Milliseconds that a worker may be away before what it published with a lease is taken out of lists.',
  },
  frontmatter: {
    yaml: 'frontmatter',
    stored: 'any',
    schema: z.enum(['render', 'strict']),
    default: 'render',
    describe:
      'render: skills without the front matter of Agent Skills are served with one made for them; strict: not as skills.',
  },
  listSkillFiles: {
    flag: '--list-skill-files',
    yaml: 'list_skill_files',
    schema: z.boolean(),
    default: false,
    describe: 'List the SKILL.md of each skill among the resources, beside its iii:// address.',
  },
  freshIndex: {
    flag: '--fresh-index',
    yaml: 'fresh_index',
    schema: z.boolean(),
    default: false,
    describe: 'Begin with an empty index, where the stored skills are too large to be indexed.',
  },
})

/** Which options cannot go together; undefined when all can. */
export function findConflict({ skillsScope, promptsScope }: Options): OptionConflict<Options> | undefined {
  const both: OptionConflict<Options>['options'] = ['skillsScope', 'promptsScope']
  if (skillsScope === promptsScope) return { options: both, reason: `are both '${skillsScope}': they must differ` }
  const [inner, outer] = [skillsScope, promptsScope].sort((a, b) => b.length - a.length)
  if (inner?.startsWith(`${skillsScope}::files`)) {
    return { options: both, reason: `are '${skillsScope}' and '${promptsScope}': the files of skills lie there` }
  }
  if (inner?.startsWith(`${skillsScope}::leases`)) {
    return { options: both, reason: `are '${skillsScope}' and '${promptsScope}': signs of life of workers lie there` }
  }
  if (!inner?.startsWith(`${outer}::index`)) return undefined
  return { options: both, reason: `are '${skillsScope}' and '${promptsScope}': the index of '${outer}' lies there` }
}

/** Refuses what would need settings that do not say for certain where the data is: a wrong scope would split it. */
export function refuseLocked({ reason }: { readonly reason: string }): never {
  throw new Fault('unavailable', `The configuration of the skills registry is malformed: ${reason}`)
}
