import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UsageError } from '../usage.ts'
import { preparePython } from './python-environment.ts'

const run = promisify(execFile)

/** Where programs of the reference servers of MCP are, unchanged. */
export interface ReferenceServers {
  /** The folder of programs from npm. */
  readonly npm: string
  /** The folder of programs from PyPI. */
  readonly python: string
}

export interface ReferenceOptions {
  /** Where they are installed, once. @default in the cache of this repository */
  home?: string
  say?: (line: string) => void
}

/** They cannot be had; the message says why. */
class MissingServersError extends UsageError {}

const HOME = fileURLToPath(new URL('../../node_modules/.cache/reference-servers', import.meta.url))
const REQUIREMENTS = fileURLToPath(new URL('../reference-servers/requirements.txt', import.meta.url))
const VERSION = '2026.8.31'
const PACKAGES = ['everything', 'filesystem', 'memory'].map((name) => `@modelcontextprotocol/server-${name}@${VERSION}`)
const INSTALL_MS = 300_000

/** Installs them from npm and PyPI. @throws MissingServersError, MissingPythonError */
export async function prepareReferenceServers(options: ReferenceOptions = {}): Promise<ReferenceServers> {
  const { home = HOME, say = () => {} } = options
  const npm = join(home, 'npm')
  const wanted = PACKAGES.join('\n')
  const done = join(npm, 'installed')
  if ((await readFile(done, 'utf8').catch(() => '')) !== wanted) {
    say(`Installing the reference servers into ${home}`)
    await mkdir(npm, { recursive: true })
    await writeFile(join(npm, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--prefix', npm, '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES]
    await run('npm', args, { timeout: INSTALL_MS }).catch((error: Error & { stderr?: string }) => {
      throw new MissingServersError(
        `npm cannot install the reference servers:\n${error.stderr?.trim() || error.message}`,
      )
    })
    await writeFile(done, wanted)
  }
  const python = await preparePython({ home: join(home, 'python'), requirements: REQUIREMENTS, say })
  return { npm: join(npm, 'node_modules/.bin'), python: dirname(python) }
}
