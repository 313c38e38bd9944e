import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readWorkers } from './workers.ts'

/** A version as GitHub shows it. */
export interface Release {
  /** `@iii/mcp@1.2.3`, as changesets tags it. */
  readonly tag: string
  /** What changed, from its CHANGELOG. */
  readonly notes: string
  /** Paths of what is attached. */
  readonly files: readonly string[]
}

/** The current version of everything that is published. @param archives folder with the worker archives */
export function planReleases(archives: string): Release[] {
  const workers = new Map(readWorkers().map((worker) => [worker.packageName, worker]))
  return ['packages', 'apps'].flatMap(listPackages).flatMap(({ folder, name, version, private: isPrivate }) => {
    if (isPrivate) return []
    const worker = workers.get(name)
    const files = worker === undefined ? [] : listArchives(archives, `${worker.name}-${version}-`)
    return [{ tag: `${name}@${version}`, notes: readNotes(folder, version), files }]
  })
}

interface ListedPackage {
  folder: URL
  name: string
  version: string
  private?: boolean
}

function listPackages(parent: string): ListedPackage[] {
  return readdirSync(new URL(`${parent}/`, ROOT)).flatMap((entry) => {
    const folder = new URL(`${parent}/${entry}/`, ROOT)
    const file = new URL('package.json', folder)
    return existsSync(file) ? [{ ...(JSON.parse(readFileSync(file, 'utf8')) as ListedPackage), folder }] : []
  })
}

function listArchives(folder: string, prefix: string): string[] {
  // Archives of a prerelease may lie there still: their names go on with another word.
  const isIt = (file: string) => file.startsWith(prefix) && /^(?:binary|bundle)\./.test(file.slice(prefix.length))
  const files = existsSync(folder) ? readdirSync(folder).filter(isIt) : []
  if (files.length === 0) throw new Error(`${folder} has no ${prefix}*: run pnpm pack:workers`)
  return files.map((file) => join(folder, file))
}

function readNotes(folder: URL, version: string): string {
  const file = new URL('CHANGELOG.md', folder)
  return existsSync(file) ? findNotes(readFileSync(file, 'utf8'), version) : ''
}

/** The part of a CHANGELOG that is about one version, without its heading. */
export function findNotes(changelog: string, version: string): string {
  const parts = changelog.split(/^## /m).slice(1)
  const part = parts.find((text) => text.split('\n', 1)[0]?.trim() === version)
  return part?.slice(part.indexOf('\n')).trim() ?? ''
}
