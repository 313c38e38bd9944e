import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** A version as a registry tells it. */
interface Version {
  name: string
  version: string
  dist: { tarball: string; integrity: string }
}

interface Published {
  name: string
  versions: Record<string, Version>
  _attachments: Record<string, { data: string }>
}

/** An npm registry on a loopback port: it takes what is published, and has besides what this workspace has installed. */
export interface NpmRegistry extends AsyncDisposable {
  readonly url: string
  /** What was published, `NAME@VERSION`. */
  readonly published: readonly string[]
  /** Puts what `pnpm pack` has made there, as if it were published. */
  addPacked(tarball: string): void
}

const STORE = fileURLToPath(new URL('../node_modules/.pnpm/', import.meta.url))

export async function startNpmRegistry(): Promise<NpmRegistry> {
  const versions = new Map<string, Version[]>()
  const tarballs = new Map<string, Buffer>()
  const published: string[] = []
  let url = ''

  const add = (manifest: Omit<Version, 'dist'>, tarball: Buffer) => {
    const { name, version } = manifest
    const path = `/-/${encodeURIComponent(`${name}@${version}`)}.tgz`
    tarballs.set(path, tarball)
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const row = { ...manifest, dist: { tarball: `${url}${path}`, integrity } }
    versions.set(name, [...(versions.get(name) ?? []), row])
  }
  const publish = (body: Published) => {
    const [manifest] = Object.values(body.versions)
    const [attachment] = Object.values(body._attachments)
    if (manifest === undefined || attachment === undefined) throw new Error('nothing in it')
    add(manifest, Buffer.from(attachment.data, 'base64'))
    published.push(`${manifest.name}@${manifest.version}`)
    return {}
  }
  const find = (name: string) => {
    if (!versions.has(name) && !name.startsWith('@iii/')) {
      // All of them or, where one cannot be read just now, none: whoever asks comes again.
      const packed = findInstalled(name).map((folder) => [readManifest(folder), packFolder(folder)] as const)
      for (const [manifest, tarball] of packed) add(manifest, tarball)
    }
    const rows = versions.get(name)
    return rows && formatPackage(name, rows)
  }
  const answer = async (request: IncomingMessage): Promise<Buffer | object | undefined> => {
    const path = request.url ?? '/'
    if (request.method === 'PUT') return publish((await json(request)) as Published)
    return tarballs.get(path) ?? find(decodeURIComponent(path.slice(1)))
  }
  const server = createServer((request, response) => {
    void answer(request).then(
      (body) => {
        response.writeHead(body === undefined ? 404 : request.method === 'PUT' ? 201 : 200)
        response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? { error: 'not_found' }))
      },
      (error: Error) => response.writeHead(500).end(JSON.stringify({ error: error.message })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    published,
    addPacked(tarball) {
      const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
      add(JSON.parse(manifest) as Version, readFileSync(tarball))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function formatPackage(name: string, rows: readonly Version[]): object {
  const latest = rows.at(-1)?.version
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(rows.map((row) => [row.version, row])) }
}

/** Where pnpm keeps the versions of a package. */
function findInstalled(name: string): string[] {
  const prefix = `${name.replace('/', '+')}@`
  const folders = new Map<string, string>()
  for (const entry of readdirSync(STORE).filter((row) => row.startsWith(prefix))) {
    const folder = join(STORE, entry, 'node_modules', name)
    folders.set(readManifest(folder).version, folder)
  }
  const byAge = (a: [string, string], b: [string, string]) => a[0].localeCompare(b[0], 'en', { numeric: true })
  return [...folders].sort(byAge).map(([, folder]) => folder)
}

function readManifest(folder: string): Omit<Version, 'dist'> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Version
}

/**
 * npm takes off the first folder of every path, whatever it is called, and leaves out links: files with the same content are links to
 * each other where pnpm has installed them.
 */
function packFolder(folder: string): Buffer {
  const name = basename(folder)
  const args = ['-czf', '-', '--hard-dereference', '--exclude', `${name}/node_modules`, '-C', dirname(folder), name]
  return execFileSync('tar', args, { maxBuffer: 256 * 1024 * 1024 })
}
