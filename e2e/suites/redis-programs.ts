import { UsageError } from '../usage.ts'
import { findOnPath, isProgram } from './program-file.ts'

/** A program that the suite with Redis needs is not there; the message says where one comes from. */
export class MissingRedisError extends UsageError {}

/** What the suite starts. */
export interface RedisPrograms {
  readonly redis: string
  readonly engine: string
}

/** @throws MissingRedisError */
export function findRedisPrograms({ PATH = '', III_TEST_ENGINE_PROGRAM: engine }: NodeJS.ProcessEnv): RedisPrograms {
  const redis = findOnPath(PATH, ['redis-server'])
  if (redis === undefined) {
    throw new MissingRedisError('No redis-server on the PATH. On Debian: apt-get install redis-server')
  }
  if (engine === undefined || !isProgram(engine)) {
    throw new MissingRedisError(
      `III_TEST_ENGINE_PROGRAM has to name the program of the engine, such as /usr/local/bin/iii${engine === undefined ? '' : `, not ${engine}`}`,
    )
  }
  return { redis, engine }
}
