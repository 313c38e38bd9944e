import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What `pack:workers` writes beside a binary archive. */
interface Payload {
  worker_name: string
  version: string
  repo: string
  dependencies: readonly { name: string; version: string }[]
  binaries: Readonly<Record<string, { url: string; sha256: string }>>
}

/** A worker registry on a loopback port, as far as `iii worker add` asks one. */
export interface WorkerRegistry extends AsyncDisposable {
  /** For `III_API_URL`. */
  readonly url: string
  /** Where archives are downloaded from, for `pack:workers --base-url`. */
  readonly filesUrl: string
  /** Where they lie. */
  readonly folder: string
  /** Requests so far, `METHOD /path`. */
  readonly requests: readonly string[]
  /**
   * From now on `POST /resolve` is not known, as in registries of old. Released command lines take graphs only of archives
   * on public https hosts, and single workers from anywhere.
   */
  forgetGraphs(): void
}

/** @param folder where the payloads and archives are, or will be */
export async function startWorkerRegistry(folder: string): Promise<WorkerRegistry> {
  const requests: string[] = []
  let hasGraphs = true
  const answer = async (request: IncomingMessage): Promise<Buffer | object | undefined> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    requests.push(`${request.method} ${path}`)
    const [, room, name = ''] = path.split('/')
    if (room === 'files') return readFileSync(`${folder}/${name}`)
    const payloads = readPayloads(folder)
    if (room === 'download') return toSingle(payloads.get(name))
    if (room !== 'resolve' || !hasGraphs) return undefined
    const { worker } = (await json(request)) as { worker: string }
    return toWorkerGraph(worker, payloads)
  }
  const server = createServer((request, response) => {
    void answer(request).then(
      (body) => reply(response, body),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    filesUrl: `${url}/files`,
    folder,
    requests,
    forgetGraphs() {
      hasGraphs = false
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function reply(response: ServerResponse, body: Buffer | object | undefined): void {
  if (body === undefined) response.writeHead(404).end()
  else if (Buffer.isBuffer(body)) response.writeHead(200, { 'content-type': 'application/gzip' }).end(body)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function readPayloads(folder: string): Map<string, Payload> {
  const files = readdirSync(folder).filter((file) => file.endsWith('-binary.json'))
  const payloads = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Payload)
  return new Map(payloads.map((payload) => [payload.worker_name, payload]))
}

function toSingle(payload: Payload | undefined): object | undefined {
  if (payload === undefined) return undefined
  const { worker_name: name, version, repo, binaries, dependencies } = payload
  const needs = Object.fromEntries(dependencies.map((row) => [row.name, row.version]))
  return { name, type: 'binary', version, repo, config: {}, binaries, dependencies: needs }
}

/** The worker with all that it needs, and who needs whom. */
export function toWorkerGraph(root: string, payloads: ReadonlyMap<string, Payload>): object | undefined {
  const found = new Map<string, Payload>()
  const edges: { from: string; to: string; range: string }[] = []
  const visit = (name: string) => {
    const payload = payloads.get(name)
    if (payload === undefined || found.has(name)) return
    found.set(name, payload)
    for (const { name: to, version: range } of payload.dependencies) {
      edges.push({ from: name, to, range })
      visit(to)
    }
  }
  visit(root)
  const version = found.get(root)?.version
  if (version === undefined) return undefined
  return { root: { name: root, version }, graph: [...found.values()].reverse().map(toSingle), edges }
}
