import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempFolder } from '../stack.ts'
import { MissingPythonError, preparePython } from './python-environment.ts'

it('a machine without Python is told what to install', async () => {
  await using folder = await createTempFolder()
  const options = { home: join(folder.path, 'home'), programs: ['python-that-nobody-has'] }
  const failure = await preparePython(options).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(MissingPythonError)
  expect((failure as Error).message).toMatch(/^Python 3\.10 or newer is needed, as python-that-nobody-has on the PATH/)
  expect((failure as Error).message).toContain('apt install python3 python3-venv')
})
