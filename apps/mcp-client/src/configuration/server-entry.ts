import { z } from 'zod'
import { explainCommand } from './command-line.ts'
import { EnvironmentEntry } from './environment-entry.ts'
import { Concurrency, Limits, Timeouts } from './ranges.ts'

const MAX_ARGUMENTS = 256
const MAX_PATTERNS = 1_000
const MAX_PATTERN_LENGTH = 256
const MAX_TEXT_LENGTH = 32_768

const text = z.string().max(MAX_TEXT_LENGTH).refine(hasNoNul, 'must not have a NUL character')

const command = z
  .string({
    error: ({ input }) => (input === undefined ? 'is missing: name the program that is the server' : undefined),
  })
  .max(MAX_TEXT_LENGTH)
  .superRefine((value, context) => {
    const problem = explainCommand(value)
    if (problem !== undefined) context.addIssue(problem)
  })

const cwd = text
  .min(1)
  .refine((path) => !path.startsWith('~'), "begins with '~', which no shell expands here: write the whole path")

const patterns = z.array(z.string().min(1).max(MAX_PATTERN_LENGTH)).max(MAX_PATTERNS)

export const TRUST = 'unsandboxed'

/** An entry of `servers` as the file has it. Keys that nobody knows are looked for elsewhere. */
export const WrittenServer = z.object({
  type: z.literal('stdio').optional(),
  command,
  args: z.array(text).max(MAX_ARGUMENTS).default([]),
  cwd: cwd.default('.'),
  trust: z.enum([TRUST]).optional(),
  disabled: z.boolean().default(false),
  env: EnvironmentEntry.prefault({}),
  tools: z.object({ allow: patterns.default(['*']), deny: patterns.default([]) }).prefault({}),
  expose: z.boolean().optional(),
  tier: z.string().min(1).max(MAX_PATTERN_LENGTH).optional(),
  annotations: z.enum(['stricter', 'as-is', 'none']).default('stricter'),
  timeouts: Timeouts.prefault({}),
  concurrency: Concurrency.prefault({}),
  limits: Limits.prefault({}),
  changed_tools: z.enum(['quarantine', 'accept']).default('quarantine'),
  operations: z.boolean().default(false),
})

/** The keys that an entry may have, and below them those of each group. */
export const KEYS: readonly string[] = Object.keys(WrittenServer.shape)
export const GROUP_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['env', Object.keys(EnvironmentEntry.shape)],
  ['tools', ['allow', 'deny']],
  ['timeouts', Object.keys(Timeouts.shape)],
  ['concurrency', Object.keys(Concurrency.shape)],
  ['limits', Object.keys(Limits.shape)],
])

function hasNoNul(value: string): boolean {
  return !value.includes('\0')
}
