import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UsageError } from '../usage.ts'

const run = promisify(execFile)

export interface PythonOptions {
  /** Where the environment is made, once. @default in the cache of this repository */
  home?: string
  /** The file that names the packages to install. @default the official SDK */
  requirements?: string
  /** What Python may be called. */
  programs?: readonly string[]
  say?: (line: string) => void
}

/** Something has to be installed by hand; the message says what. */
export class MissingPythonError extends UsageError {}

const HOME = fileURLToPath(new URL('../../node_modules/.cache/python-sdk', import.meta.url))
const REQUIREMENTS = fileURLToPath(new URL('../python/requirements.txt', import.meta.url))
/** By version: what to install. */
const SDKS = { '0.22.1': 'requirements.txt', '0.23.0': 'requirements-0.23.txt' }
const INSTALL_MS = 300_000

const IS_NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 10))'
/** Fails unless the versions that are asked for are there. */
const IS_COMPLETE = `
import importlib.metadata, sys
for line in open(sys.argv[1]):
    name, _, version = line.strip().partition("==")
    assert importlib.metadata.version(name) == version
`

/** Makes a Python that has the official SDK, or other packages. @returns the path of the interpreter. @throws MissingPythonError */
export async function preparePython(options: PythonOptions = {}): Promise<string> {
  const { home = HOME, requirements = REQUIREMENTS, programs = ['python3', 'python'], say = () => {} } = options
  const python = process.platform === 'win32' ? join(home, 'Scripts', 'python.exe') : join(home, 'bin', 'python')
  if (await succeeds(python, ['-c', IS_COMPLETE, requirements])) return python

  const system = await findPython(programs)
  say(`Installing packages for Python into ${home}`)
  await rm(home, { recursive: true, force: true })
  const noVenv =
    'Python cannot make an environment: install its venv module (Debian, Ubuntu: apt install python3-venv).'
  await attempt(system, ['-m', 'venv', home], noVenv)
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', '--requirement', requirements]
  await attempt(
    python,
    pip,
    'pip cannot install what is needed: it has to reach PyPI, or the index that its configuration names.',
  )
  return python
}

/** A Python that has one version of the official SDK. */
export interface PythonSdk {
  readonly version: string
  /** The path of the interpreter. */
  readonly python: string
  /** Whether it is the one that has everything else, too. */
  readonly isFirst: boolean
}

/** Makes a Python for each version of the official SDK that workers of others may be on. @throws MissingPythonError */
export async function preparePythonSdks({ say = () => {} }: Pick<PythonOptions, 'say'>): Promise<PythonSdk[]> {
  const sdks: PythonSdk[] = []
  for (const [version, file] of Object.entries(SDKS)) {
    const requirements = fileURLToPath(new URL(`../python/${file}`, import.meta.url))
    const python = await preparePython({ say, requirements, home: `${HOME}-${version}` })
    sdks.push({ version, python, isFirst: sdks.length === 0 })
  }
  return sdks
}

async function findPython(programs: readonly string[]): Promise<string> {
  for (const program of programs) {
    if (await succeeds(program, ['-c', IS_NEW_ENOUGH])) return program
  }
  throw new MissingPythonError(
    `Python 3.10 or newer is needed, as ${programs.join(' or ')} on the PATH ` +
      '(Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python).',
  )
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  )
}

async function attempt(program: string, args: readonly string[], advice: string): Promise<void> {
  await run(program, args, { timeout: INSTALL_MS }).catch((error: Error & { stderr?: string }) => {
    throw new MissingPythonError(`${advice}\n${error.stderr?.trim() || error.message}`)
  })
}
