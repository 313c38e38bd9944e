import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempFolder } from '../stack.ts'
import { MissingNodeError, prepareNodes } from './node-versions.ts'

it('takes what was installed before, and says what cannot be installed', async () => {
  await using temp = await createTempFolder()
  // No such version will ever be: npm has to refuse it.
  const never = { home: temp.path, majors: [9999] }
  const error = await prepareNodes(never).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(MissingNodeError)
  const spec = /(\S+)@9999/.exec((error as Error).message)
  const program = join(temp.path, '9999/node_modules', spec?.[1] ?? '', 'bin/node')
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, '#!/bin/sh\necho v9999.1.0\n')
  await chmod(program, 0o755)
  expect(await prepareNodes(never)).toEqual([dirname(program)])
})
