import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Host, readHost } from '@iii/sdk'

/** The host of workers that clients wrote, as far as they see it. */
export interface WorkerHost extends Pick<Host, 'platform' | 'node' | 'nodeArgs' | 'cwd'> {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where this package lies, with those that it needs; undefined where the server is one file that has them in itself. */
  readonly packageRoot: string | undefined
}

/** The real one. */
export function readWorkerHost(env: WorkerHost['env']): WorkerHost {
  const host = readHost()
  return {
    ...host,
    // How this Node finds and reads sources.
    nodeArgs: keepLoaders(host.nodeArgs, host.cwd),
    env,
    packageRoot: /\/management\/host\.ts$/.test(import.meta.url)
      ? fileURLToPath(new URL('../..', import.meta.url))
      : undefined,
  }
}

/** What a program needs of its environment, and nothing that could be a secret. */
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'SystemDrive',
  'ComSpec',
  'PATHEXT',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'VIRTUAL_ENV',
  'PYENV_ROOT',
  'PYENV_VERSION',
]

/** The environment of a worker: names that are known to be harmless. */
export function toEnvironment({ env }: WorkerHost, own: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = ENVIRONMENT.flatMap((name): [string, string][] => {
    const value = env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(inherited), ...own }
}

/** Where a program lies that is on the PATH. */
export function findProgram({ env, platform }: WorkerHost, names: readonly string[]): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? ['.exe'] : ['']
  return names
    .flatMap((name) => folders.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`))))
    .find((path) => existsSync(path))
}

/** Where a package for Node.js is installed: for this server, or where it was started. */
export function findPackage({ packageRoot, cwd }: WorkerHost, name: string): string | undefined {
  return [packageRoot, cwd]
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((path) => existsSync(join(path, 'package.json')))
}

/** Of the arguments of a Node in `cwd` those that a Node in another folder needs to run the same sources; TypeScript among them. */
export function keepLoaders(execArgv: readonly string[], cwd: string): string[] {
  const kept: string[] = []
  execArgv.forEach((arg, at) => {
    const [flag = '', inline] = arg.split(/=(.*)/s)
    const value = inline ?? execArgv[at + 1] ?? ''
    if (flag === '--conditions' || flag === '-C') kept.push(`--conditions=${value}`)
    if (flag === '--import' && /(^|[/\\])tsx([/\\]|$)/.test(value)) kept.push(`--import=${toAbsolute(value, cwd)}`)
  })
  return kept
}

/** A name or path of a module means another one, or none, in another folder. */
function toAbsolute(module: string, cwd: string): string {
  if (module.startsWith('file:')) return module
  try {
    return pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(module)).href
  } catch {
    return module
  }
}
