import type { OptionTable } from '@iii/sdk'
import type { Command } from '@iii/sdk/cli'
import { z } from 'zod'
import { type Options, options } from '../options.ts'
import { diagnoseRegistry } from './doctor.ts'
import { exportFolder } from './export.ts'
import { importFolder } from './import.ts'
import { lintSkills } from './lint.ts'
import { listPrompts, listSkills } from './list.ts'
import { printSkill } from './read.ts'
import type { Remote } from './remote.ts'
import { removePrompts, removeSkills } from './remove.ts'
import type { Flags, RegistrySession } from './session.ts'

const boolean = { schema: z.boolean(), default: false } as const

/** What the registry is told counts for its commands too: environment and file. */
export const FLAGS: OptionTable<Flags & Options> = {
  ...options,
  json: { ...boolean, flag: '--json', describe: 'Print JSON, for scripts.' },
  dryRun: { ...boolean, flag: '--dry-run', describe: 'Say what would be done, and do nothing.' },
  as: {
    flag: '--as',
    schema: z.string().trim().min(1).optional(),
    default: undefined,
    describe:
      'Act in the name of this worker, which owns what is changed, named as list shows it; where names are for one worker at a time, it must not run.',
    placeholder: 'WORKER',
  },
  force: { ...boolean, flag: '--force', describe: 'Overwrite files that differ.' },
  prune: {
    ...boolean,
    flag: '--prune',
    describe: 'Remove the skills that are missing in DIR, as far as their first segment is one of DIR.',
  },
}

/** What the commands get beside their words: the registry, when they ask for it. */
interface Extra {
  connect(): Promise<Remote>
  /** What a doctor looks at. */
  findPatient(): Pick<RegistrySession, 'settings' | 'host' | 'connect'>
}

export const COMMANDS: readonly Command<Flags & Options, Extra>[] = [
  {
    name: 'list',
    operands: '[PREFIX]',
    least: 0,
    most: 1,
    flags: ['json'],
    summary: 'List the skills, or those whose id begins with PREFIX.',
    details: '',
    examples: [
      ['list', 'List all skills'],
      ['list orders', 'List those whose id begins with orders'],
      ['list --json', 'For a script'],
    ],
    work: listSkills,
  },
  {
    name: 'read',
    operands: 'ID',
    least: 1,
    most: 1,
    flags: ['json'],
    summary: 'Print a skill as it was registered, or what any other iii:// or skill:// address gives.',
    details: '',
    examples: [
      ['read orders/refunds', 'Print a skill'],
      ['read skill://orders/scripts/check.py', 'Print a file of a skill'],
      ['read iii://fn/orders/status', 'Print what the address of a function gives'],
    ],
    work: printSkill,
  },
  {
    name: 'remove',
    operands: 'ID…',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    flags: ['as', 'dryRun', 'json'],
    summary: 'Remove skills. It does not ask.',
    details: 'A worker that publishes a skill registers it again when it connects anew.',
    examples: [
      ['remove orders/refunds', 'Remove a skill'],
      ['remove orders orders/refunds --dry-run', 'Say what would be removed'],
      ['remove orders --as orders', 'Remove it in the name of its owner'],
    ],
    work: removeSkills,
  },
  {
    name: 'export',
    operands: 'DIR',
    least: 1,
    most: 1,
    flags: ['force', 'dryRun', 'json'],
    summary: 'Write all skills and their files below DIR.',
    details:
      'A skill with files, or with name and description in its front matter, becomes ID/SKILL.md, any other ID.md; one that lies in DIR already stays in its file. Files that differ are left alone without --force, files that are no skill any more always.',
    examples: [
      ['export skills', 'Write all skills below the folder skills'],
      ['export skills --dry-run', 'Say which files would be written'],
      ['export skills --force', 'Overwrite files that differ'],
    ],
    work: exportFolder,
  },
  {
    name: 'import',
    operands: 'DIR',
    least: 1,
    most: 1,
    flags: ['prune', 'as', 'dryRun', 'json'],
    summary: 'Register the markdown files below DIR as skills, and folders with a SKILL.md with all their files.',
    details:
      'a/SKILL.md and a.md are the skill a, a/b.md is the skill a/b; beside a SKILL.md, everything is a file of that skill. A DIR with a SKILL.md in it is one skill, called like DIR. Capital letters in names become small, spaces and dots "-". What is registered already in the same words is not registered again. Hidden files and other files that are no markdown are left out, symbolic links refused.',
    examples: [
      ['import skills', 'Register the markdown files below the folder skills'],
      ['import skills/orders', 'Register the skill whose folder this is'],
      ['import skills --prune --dry-run', 'Say what would come and go'],
    ],
    work: importFolder,
  },
  {
    name: 'lint',
    operands: '[DIR|ID]',
    least: 0,
    most: 1,
    flags: ['json'],
    summary: 'Say what keeps skills from being served as Agent Skills as they are, and what would mend it.',
    details: [
      'DIR is a folder of skills or that of one, and needs no engine; ID is a skill of the registry, and without either all of them are meant. Where there are both, ./DIR and iii://ID tell them apart.',
      'not served: it is no Agent Skill where hosts read skills with their files; rendered: it is one, with front matter made for it; warning: some hosts may read it otherwise. A folder is judged by the settings of environment and file. Exit code 1 when something is not served.',
    ].join('\n'),
    examples: [
      ['lint', 'All skills of the registry'],
      ['lint orders/refunds', 'One of them'],
      ['lint ./skills --json', 'A folder, before it is imported, for a script'],
    ],
    work: lintSkills,
  },
  {
    name: 'prompts list',
    operands: '[PREFIX]',
    least: 0,
    most: 1,
    flags: ['json'],
    summary: 'List the prompts, or those whose name begins with PREFIX.',
    details: '',
    examples: [
      ['prompts list', 'List all prompts'],
      ['prompts list refund', 'List those whose name begins with refund'],
      ['prompts list --json', 'For a script'],
    ],
    work: listPrompts,
  },
  {
    name: 'prompts remove',
    operands: 'NAME…',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    flags: ['as', 'dryRun', 'json'],
    summary: 'Remove prompts. It does not ask.',
    details: 'A worker that publishes a prompt registers it again when it connects anew.',
    examples: [
      ['prompts remove refund-order', 'Remove a prompt'],
      ['prompts remove refund-order ask-desk --dry-run', 'Say what would be removed'],
      ['prompts remove refund-order --as orders', 'Remove it in the name of its owner'],
    ],
    work: removePrompts,
  },
  {
    name: 'doctor',
    operands: '',
    least: 0,
    most: 0,
    flags: ['json'],
    summary: 'Check engine, state, settings, who serves, and what is stored.',
    details: [
      'Give it the environment and file that the registry was started with.',
      'Each check says ok, warning or problem, and what to do. It changes nothing. Exit code 0 when everything works (warnings included), 1 when something does not, 4 without an engine.',
    ].join('\n'),
    examples: [
      ['doctor', 'Check the registry on this machine'],
      ['doctor --config skills.yaml', 'Check it with the settings of a file'],
      ['doctor --url ws://10.0.0.5:49134 --json', 'Check one on another engine, for a script'],
    ],
    work: (session) => diagnoseRegistry({ ...session, ...session.findPatient() }),
  },
]
