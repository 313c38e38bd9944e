import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { startNpmRegistry } from './npm-registry.ts'
import { packPackages } from './packed.ts'
import { createTempFolder } from './stack.ts'

/** An empty folder of somebody who has npm, and a registry with what this repository publishes. */
export interface Workplace extends AsyncDisposable {
  readonly path: string
  /** What npm is run with. */
  readonly env: Readonly<Record<string, string>>
  /** Runs npm in a folder below. @throws Error with all that was said, when it fails */
  npm(folder: string, ...words: string[]): Promise<string>
  /** `npm create iii-worker WORDS`, as somebody types it, and `npm install` in the folder. @returns its absolute path */
  create(folder: string, ...flags: string[]): Promise<string>
}

const NPM_MS = 180_000

/** @param node folder of the Node that everything runs on @default this one */
export async function openWorkplace(node: string = dirname(process.execPath)): Promise<Workplace> {
  const packed = await packPackages()
  const registry = await startNpmRegistry()
  for (const tarball of Object.values(packed)) registry.addPacked(tarball)
  const temp = await createTempFolder()
  const path = join(temp.path, 'work')
  await mkdir(path)
  const inherited = Object.entries(process.env).filter(([key]) => !/^(?:III_|npm_|NODE_OPTIONS)/i.test(key))
  const env = {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    PATH: `${node}${delimiter}${process.env['PATH']}`,
    npm_config_cache: join(temp.path, 'cache'),
    npm_config_registry: `${registry.url}/`,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  const npm: Workplace['npm'] = async (folder, ...words) => {
    const started = promisify(execFile)('npm', words, { cwd: join(path, folder), env, timeout: NPM_MS })
    const { stdout } = await started.catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`npm ${words.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
    })
    return stdout
  }
  return {
    path,
    env,
    npm,
    async create(folder, ...flags) {
      await npm('.', 'create', '--yes', 'iii-worker', folder, '--', ...flags)
      await npm(folder, 'install')
      return join(path, folder)
    },
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}
