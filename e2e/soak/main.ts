/**
 * `pnpm soak`: all our workers, those of others and clients of every kind on one engine, calls all the time, and a fault every minute. A checker
 * knows what was acknowledged, and what each answer has to be. With `--calm`: no faults, and what grows.
 */
import process from 'node:process'
import { EngineRefusal } from '../reservation.ts'
import { runCalm } from './calm.ts'
import { runWeek } from './run-week.ts'
import { readOptions } from './soak-options.ts'

try {
  const options = readOptions(process.argv.slice(2))
  const problems = options.calm ? await runCalm(options) : await runWeek(options)
  if (problems > 0) process.exitCode = 1
} catch (error) {
  if (!(error instanceof EngineRefusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
