import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type PackedWorker, readProject } from '@iii/pack-worker'
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

function readApp(app: string): Omit<OwnWorker, 'needs' | 'carries'> {
  const folder = fileURLToPath(new URL(`apps/${app}/`, ROOT))
  const { worker } = readProject(folder)
  const { readme, repository } = worker
  if (repository === undefined) throw new Error(`${folder}package.json has no repository`)
  const { name: packageName, description } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as PackageJson
  return {
    ...worker,
    description,
    repository,
    packageName,
    folder,
    readme: linkToRepository(readme, repository, `apps/${app}`),
  }
}

type PackageJson = Record<'name' | 'description', string>
