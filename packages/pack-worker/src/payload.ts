import type { WorkerInterface } from './inspection.ts'
import type { PackedWorker } from './worker-manifest.ts'

/** Where an archive will lie, and what it has to hash to. */
export interface PublishedArchive {
  url: string
  sha256: string
}

/** How an archive is installed: in a VM with Node, or as a program of the host. */
export type Deploy =
  | { type: 'bundle'; archive: PublishedArchive }
  | { type: 'binary'; archive: PublishedArchive; targets: readonly string[] }

/** What the registry takes for a version. */
const VERSION = /^\d+\.\d+\.\d+(?:-(?:rc\.\d+|experimental|alpha|beta))?$/

/** @param baseUrl of the folder that the file will lie in @throws for one that is no address */
export function toArchiveUrl(baseUrl: string, file: string): string {
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new Error(`--base-url takes an address, such as https://example.com/files, and not '${baseUrl}'`)
  return `${baseUrl.replace(/\/+$/, '')}/${file}`
}

/** What `POST /publish` of the worker registry gets for one version. @throws when the registry would refuse it */
export function toPublishPayload(
  worker: PackedWorker,
  offered: WorkerInterface,
  deploy: Deploy,
): Record<string, unknown> {
  const { name, version } = worker
  if (!VERSION.test(version))
    throw new Error(`${name} ${version}: the registry takes 1.2.3 and 1.2.3-rc.1, -alpha, -beta`)
  const problems = [...findGaps(worker), ...findProblems(offered)]
  if (problems.length > 0)
    throw new Error(`${name} cannot be published:\n${problems.map((row) => `  ${row}`).join('\n')}`)
  return {
    worker_name: name,
    version,
    tag: version.includes('-') ? 'next' : 'latest',
    type: deploy.type,
    readme: worker.readme,
    repo: worker.repository,
    description: worker.manifest.description,
    license: worker.license,
    tags: worker.manifest.tags ?? [],
    dependencies: Object.entries(worker.needs).map(([other, range]) => ({ name: other, version: range })),
    // Settings live in the `configuration` worker; a default here would be written over them.
    config: {},
    functions: offered.functions,
    triggers: offered.triggers,
    ...toArtifact(deploy),
  }
}

function findGaps({ license, repository }: PackedWorker): string[] {
  return Object.entries({ license, repository }).flatMap(([field, value]) =>
    value === undefined ? [`package.json has no ${field}`] : [],
  )
}

function toArtifact(deploy: Deploy): Record<string, unknown> {
  if (deploy.type === 'bundle') return { archive_url: deploy.archive.url, sha256: deploy.archive.sha256 }
  return { binaries: Object.fromEntries(deploy.targets.map((target) => [target, deploy.archive])) }
}

/** A schema says something when it has one of these; `{}` says nothing. */
const SAYING = ['type', 'properties', '$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'items', 'const']

/** What keeps an interface from being published, one line each. */
export function findProblems({ functions, triggers }: WorkerInterface): string[] {
  const lacks = (name: string, field: string, schema: unknown) =>
    isSchema(schema) ? [] : [`${name} has no ${field} schema`]
  return [
    ...(functions.length === 0 ? ['there are no functions'] : []),
    ...functions.flatMap(({ name, request_schema, response_schema }) => [
      ...lacks(name, 'request', request_schema),
      ...lacks(name, 'response', response_schema),
    ]),
    ...triggers.flatMap(({ name, invocation_schema }) => lacks(name, 'invocation', invocation_schema)),
  ]
}

function isSchema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && SAYING.some((key) => key in schema)
}
