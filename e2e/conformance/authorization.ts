import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followLogin } from '../authorization/browser.ts'
import { startChild } from '../child.ts'
import { until } from '../until.ts'

/** What the official suite says of an authorization server. */
export interface AuthorizationScore {
  /** A line for each scenario that passed. */
  readonly passed: readonly string[]
  /** All that the suite said, where anything did not pass. */
  readonly problems: string | undefined
}

const LOGIN = /^\s*(http:\S+\/auth\?\S+)\s*$/
const PASSED = /^✓ (\S+): [1-9]\d* passed, 0 failed$/

/** Has the official suite try an authorization server, with a client that registers for it and a browser that logs in. */
export async function scoreAuthorizationServer(issuer: string, resource: string): Promise<AuthorizationScore> {
  const port = await findFreePort()
  const callback = `http://127.0.0.1:${port}/callback`
  const clientId = await registerClient(issuer, callback)
  const folder = await mkdtemp(join(tmpdir(), 'iii-conformance-'))
  await using suite = startChild({
    name: 'conformance authorization',
    entry: new URL('./suite-process.ts', import.meta.url),
    args: [
      ...['authorization', '--url', issuer, '--client-id', clientId, '--resource', resource],
      ...['--port', String(port), '--output-dir', folder],
    ],
    onLine(line) {
      const [, login] = LOGIN.exec(line) ?? []
      if (login !== undefined) void bringCode(new URL(login), callback)
    },
  })
  try {
    const { code } = await suite.exited
    const said = [...suite.stdout, ...suite.stderr].join('\n')
    const isClean = code === 0 && !/warning|skipped/i.test(suite.stdout.join('\n'))
    return {
      passed: suite.stdout.flatMap((line) => PASSED.exec(line)?.[1] ?? []),
      problems: isClean ? undefined : said,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The suite says where to log in before it listens for the code, and waits for minutes where that is lost. */
async function bringCode(login: URL, callback: string): Promise<void> {
  await until(async () => (await fetch(await followLogin(login, callback))).ok, { what: 'the suite to take the code' })
}

async function registerClient(issuer: string, callback: string): Promise<string> {
  const client = { redirect_uris: [callback], token_endpoint_auth_method: 'none' }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${issuer}/reg`, { method: 'POST', headers, body: JSON.stringify(client) })
  return ((await response.json()) as { client_id: string }).client_id
}

/** The suite takes the number of a port, and listens there itself. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return port
}
