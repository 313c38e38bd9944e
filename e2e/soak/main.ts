/**
 * `pnpm soak`: all our workers, those of others and clients of every kind on one engine, calls all the time, and a fault every minute. A checker
 * knows what was acknowledged, and what each answer has to be. With `--calm`: no faults, and what grows.
 */
import process from 'node:process'
import { runWithUsage } from '../usage.ts'
import { runCalm } from './calm.ts'
import { runWeek } from './run-week.ts'
import { readOptions, SOAK_USAGE } from './soak-options.ts'

await runWithUsage(SOAK_USAGE, async (words) => {
  const options = readOptions(words)
  const problems = options.calm ? await runCalm(options) : await runWeek(options)
  if (problems > 0) process.exitCode = 1
})
