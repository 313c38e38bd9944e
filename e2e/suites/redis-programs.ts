import { UsageError } from '../usage.ts'
import { ENGINE_PROGRAM_HELP, findOnPath, readEngineProgram } from './program-file.ts'

/** A program that the suite with Redis needs is not there; the message says where one comes from. */
class MissingRedisError extends UsageError {}

/** What the suite starts. */
export interface RedisPrograms {
  readonly redis: string
  readonly engine: string
}

/** @throws UsageError */
export function findRedisPrograms(env: NodeJS.ProcessEnv): RedisPrograms {
  const redis = findOnPath(env['PATH'] ?? '', ['redis-server'])
  if (redis === undefined) {
    throw new MissingRedisError('No redis-server on the PATH. On Debian: apt-get install redis-server')
  }
  const engine = readEngineProgram(env)
  if (engine === undefined) throw new MissingRedisError(ENGINE_PROGRAM_HELP)
  return { redis, engine }
}
