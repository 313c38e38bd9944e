import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type PackedWorker, requireWorkerManifest } from '@iii/pack-worker'
import { parse } from 'yaml'
import { linkToRepository } from './readme.ts'

export const ROOT = new URL('../../../', import.meta.url)

/** One of our workers, as its sources describe it. */
export interface OwnWorker extends PackedWorker {
  readonly description: string
  /** `https://github.com/OWNER/REPOSITORY` */
  readonly repository: string
  /** Of the npm package. */
  readonly packageName: string
  /** Absolute path of the app. */
  readonly folder: string
  /** Packages that its program has in itself for code that it runs for others. */
  readonly carries: readonly string[]
}

/** What is packed: the app, which of the others it cannot do without, and what it carries. */
const APPS = [
  { app: 'skills-registry', needs: [], carries: [] },
  { app: 'mcp-bridge', needs: ['skills-registry'], carries: ['@iii/sdk', 'zod'] },
  { app: 'run-records', needs: [], carries: [] },
  { app: 'mcp-client', needs: [], carries: [] },
]

/** The workers in the order in which they are installed. */
export function readWorkers(): OwnWorker[] {
  return APPS.map(({ app, needs, carries }) => {
    const self = readApp(app)
    const others = needs.map(readApp).map(({ name, version }) => [name, `^${version}`])
    return { ...self, needs: Object.fromEntries(others) as Record<string, string>, carries }
  })
}

interface PackageJson {
  name: string
  version: string
  description: string
  license: string
  repository: { url: string }
}

function readApp(app: string): Omit<OwnWorker, 'needs' | 'carries'> {
  const folder = new URL(`apps/${app}/`, ROOT)
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
  const { name, version, description, license, ...rest } = JSON.parse(read('package.json')) as PackageJson
  const repository = rest.repository.url.replace(/^git\+|\.git$/g, '')
  const manifest = requireWorkerManifest(parse(read('iii.worker.yaml')))
  return {
    name: manifest.name,
    version,
    description,
    license,
    repository,
    packageName: name,
    folder: fileURLToPath(folder),
    readme: linkToRepository(read('README.md'), repository, `apps/${app}`),
    manifest,
  }
}
