import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startAuthorizationServer } from '../authorization/authorization-server.ts'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { toIssuerRow } from '../issuer-tokens.ts'
import { bridgeProgram, WORKER_READY } from '../programs.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'
import { type ConformanceStack, startConformanceStack } from './stack.ts'
import { startTokenRelay, type TokenRelay, type TokenRelayOptions } from './token-relay.ts'

/** A bridge that asks for tokens, and a relay that has some, each of which ends while the suite runs. */
export interface GuardedStack extends Pick<ConformanceStack, 'deaths'>, AsyncDisposable {
  readonly relay: TokenRelay
  /** Where one has to have a token. */
  readonly guardedUrl: string
}

/** Three more than the relay keeps spare: the shorter sets take longer than that. */
const TOKEN_SECONDS = 9

/** Resolves when the fixtures are seen through the relay. */
export async function startGuardedStack(options?: TokenRelayOptions): Promise<GuardedStack> {
  const { use, run } = createCleanup()
  try {
    const server = use(await startAuthorizationServer({ tokenSeconds: TOKEN_SECONDS }))
    const { path } = use(await createTempFolder())
    const { mcpUrl, engineUrl, deaths } = use(await startConformanceStack())
    const guardedUrl = mcpUrl.replace(/\/mcp$/, '/guarded')
    const file = join(path, 'mcp.yaml')
    const issuers = [toIssuerRow(server, guardedUrl, { clock_tolerance_s: 0, require: ['mcp'] })]
    await writeFile(file, JSON.stringify({ auth: { resource: guardedUrl, issuers, grants: { all: {} } } }))
    const flags = ['--config', file, '--api-path', 'guarded']
    const bridge = use(startChild({ ...bridgeProgram(engineUrl, flags), name: 'guarded' }))
    await bridge.line(WORKER_READY)
    const relay = use(await startTokenRelay(guardedUrl, () => server.getMachineToken(guardedUrl, 'mcp'), options))
    const isServed = async () => (await listTools(relay.mcpUrl)).text.includes('test_tool_with_task')
    await until(isServed, { what: 'the fixtures behind the bridge that asks for tokens' })
    return { relay, guardedUrl, deaths, [Symbol.asyncDispose]: run }
  } catch (error) {
    await run()
    throw error
  }
}

/** Without a token of its own. */
export async function listTools(url: string): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return { status: response.status, text: await response.text() }
}
