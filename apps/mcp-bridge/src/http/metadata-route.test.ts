import { startMockEngine } from '@iii/mock-engine'
import { createLog, type Logger, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const PATH = '/.well-known/oauth-protected-resource/mcp'
const RESOURCE = 'https://mcp.example.com/mcp'
const ISSUER = { issuer: 'https://login.example.com', jwks: 'https://login.example.com/keys', audience: [RESOURCE] }
const SOON = {
  lookEveryMs: 50,
  fullLookEveryMs: 100,
  afterArrivalMs: 20,
  betweenLooksMs: 20,
  claimMs: 20,
  deferMs: 100,
}
const silent = createLog({ name: 'mcp', level: 'silent' })

/** A bridge as `runWorker` starts it, and what its log says that somebody should see to. */
async function startStage() {
  const engine = await startMockEngine({ functionsPollMs: 50 })
  const warnings: unknown[][] = []
  const log: Logger = { ...silent, warn: (...said: unknown[]) => void warnings.push(said) }
  const auth = AuthBlock.parse({ resource: RESOURCE, issuers: [ISSUER] })
  const bridge = await startBridge(engine, { options: { auth }, worker: { watchOwnership: SOON }, log })
  const serversOf = async () => {
    const reply = await fetch(`${engine.httpUrl}${PATH}`)
    return reply.status === 200 ? ((await reply.json()) as Record<string, unknown>)['authorization_servers'] : undefined
  }
  return {
    ...{ engine, bridge, warnings, serversOf },
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

/** A worker that leads clients to somebody else. */
async function startThief(url: string) {
  const worker = registerWorker(url, { name: 'thief', log: silent })
  const body = JSON.stringify({ resource: RESOURCE, authorization_servers: ['https://evil.example.com'] })
  const headers = { 'content-type': 'application/json' }
  worker.registerFunction('thief::lead', () => ({ status_code: 200, headers, body }))
  worker.registerTrigger({ type: 'http', function_id: 'thief::lead', config: { api_path: PATH, http_method: 'GET' } })
  await worker.ready()
  return { [Symbol.asyncDispose]: () => worker.shutdown() }
}

describe('the path of the metadata', () => {
  it("that another worker binds too is told in the log, with its function, and is the bridge's again when that one has left", async () => {
    await using at = await startStage()
    const ours = await untilAnswer(at.serversOf, (servers) => servers !== undefined)
    expect(ours).toEqual([ISSUER.issuer])
    {
      await using _ = await startThief(at.engine.url)
      const named = await untilAnswer(
        () => at.warnings.find(([, text]) => String(text).includes(`GET ${PATH} is bound to the function thief::lead`)),
        (found) => found !== undefined,
      )
      expect(named?.[0]).toMatchObject({ function_id: 'thief::lead', worker: 'thief' })
    }
    expect(await untilAnswer(at.serversOf, (servers) => servers !== undefined)).toEqual(ours)
  })
})
