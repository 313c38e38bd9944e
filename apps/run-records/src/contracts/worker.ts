import { z } from 'zod'
import { defineInspection, leftOut } from './contract.ts'

export const metadata = defineInspection({
  name: 'metadata',
  title: 'About these tools',
  description:
    'Shows what this worker of runs can do and how it is set: schema version, jobs, limits, settings, whether jobs may be run. Executes nothing.',
  request: z.strictObject({}),
  response: z.object({
    schema_version: z.int(),
    experimental: z.literal(true),
    jobs: z.array(z.string()),
    limits: z.record(z.string(), z.number()),
    settings: z.record(z.string(), z.unknown()),
    capabilities: z.object({
      allow_run: z.boolean(),
      calls_recorded: z.boolean(),
      state: z
        .enum(['memory', 'file', 'redis', 'unknown'])
        .describe('Where the engine keeps records, as far as it says'),
    }),
    left_out: leftOut,
  }),
})

const DoctorCheck = z.object({
  check: z.string(),
  verdict: z.enum(['ok', 'warning', 'problem', 'skipped']),
  summary: z.string(),
  advice: z.array(z.string()).describe('What to do'),
})

export const doctor = defineInspection({
  name: 'doctor',
  title: 'Check the records of runs',
  description:
    'Checks the store, locks, records and jobs, and says what to do about what is wrong. Looks only; executes nothing.',
  request: z.strictObject({}),
  response: z.object({ verdict: DoctorCheck.shape.verdict, checks: z.array(DoctorCheck), left_out: leftOut }),
})
