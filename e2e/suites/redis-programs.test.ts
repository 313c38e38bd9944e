import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempFolder } from '../stack.ts'
import { findRedisPrograms } from './redis-programs.ts'

it('finds Redis and the engine, and says which of them is missing', async () => {
  await using folder = await createTempFolder()
  const redis = join(folder.path, 'redis-server')
  const engine = join(folder.path, 'iii')
  for (const program of [redis, engine]) await writeFile(program, '')
  const env = { PATH: folder.path, III_TEST_ENGINE_PROGRAM: engine }
  expect(() => findRedisPrograms(env)).toThrow('No redis-server on the PATH')
  await chmod(redis, 0o755)
  expect(() => findRedisPrograms(env)).toThrow(`not ${engine}`)
  expect(() => findRedisPrograms({ PATH: folder.path })).toThrow('III_TEST_ENGINE_PROGRAM has to name')
  await chmod(engine, 0o755)
  expect(findRedisPrograms(env)).toEqual({ redis, engine })
})
