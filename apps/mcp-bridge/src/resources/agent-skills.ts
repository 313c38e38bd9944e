import { agentSkillsFunctions, type FunctionContract, isRecord, type JsonObject, toFault } from '@iii/protocol'
import { toSkillsSeen } from '../auth/decision.ts'
import type { McpCall } from '../mcp/call.ts'
import { invalidParams, type McpResult, RPC, RpcError, readCursor } from '../mcp/rpc.ts'
import type { Seal } from '../sessions/request-state-seal.ts'
import { requireAddress } from './read-errors.ts'
import { type RegistryClient, toPrefixes, toRegistryError } from './registry.ts'

/** The extension that serves skills with their files (SEP-2640), and what is declared of it. */
export const SKILLS_EXTENSION = { 'io.modelcontextprotocol/skills': { directoryRead: true } } as const

/** Clients of all revisions take nothing without it. */
const CACHE = { ttlMs: 5_000, cacheScope: 'private' } as const

/** Skills with their files, as hosts of the extension ask for them. Their bytes are read with `resources/read`. */
export interface SkillMethods {
  /** `skills/list` */
  list(params: JsonObject, call: McpCall): Promise<McpResult>
  /** `skills/get` */
  get(params: JsonObject, call: McpCall): Promise<McpResult>
  /** `resources/directory/read` */
  directory(params: JsonObject, call: McpCall): Promise<McpResult>
}

export interface SkillMethodsOptions {
  readonly registry: RegistryClient
  readonly seal: Seal
}

export function createSkillMethods({ registry, seal }: SkillMethodsOptions): SkillMethods {
  async function ask(contract: FunctionContract, payload: JsonObject, call: McpCall): Promise<Answer> {
    const { id } = contract
    const { principal, limits, carried: trace } = call
    const asked = { ...payload, ...toPrefixes(principal) }
    const answer = await registry.ask(contract, asked, { timeoutMs: limits.plainMs, trace }).catch((error: unknown) => {
      throw toFault(error).code === 'not_found' ? notThere(error, payload) : toRegistryError(error, id)
    })
    if (isRecord(answer)) return answer
    throw new RpcError(RPC.internal, `The registry answered ${id} with something else than an object`)
  }

  /** A page, and a cursor that is good for the next one of the same list alone. */
  async function askPage(contract: FunctionContract, payload: JsonObject, page: Page): Promise<McpResult> {
    const { call, key } = page
    const cursor = readCursor(page.cursor)
    const context = `${contract.id} ${JSON.stringify([payload, toSkillsSeen(call.principal) ?? null])}`
    const after = cursor === undefined ? undefined : await seal.open(cursor, context)
    if (cursor !== undefined && after === undefined) {
      throw invalidParams("'cursor' must be the nextCursor of the page before; without one the list begins anew")
    }
    const answer = await ask(contract, after === undefined ? payload : { ...payload, after }, call)
    const { [key]: rows, after: next } = answer
    if (!Array.isArray(rows)) throw new RpcError(RPC.internal, `The registry answered ${contract.id} without '${key}'`)
    const nextCursor = typeof next === 'string' ? { nextCursor: seal.seal(next, context) } : {}
    return { [key]: rows.filter((row) => isRecord(row) && typeof row['uri'] === 'string'), ...nextCursor, ...CACHE }
  }

  const { list, get, directory } = agentSkillsFunctions
  return {
    list: ({ cursor }, call) => askPage(list, {}, { key: 'skills', cursor, call }),
    async get({ uri }, call) {
      const skill = await ask(get, { uri: requireAddress(uri, 'skills/get') }, call)
      if (typeof skill['uri'] === 'string') return { skill, ...CACHE }
      throw new RpcError(RPC.internal, `The registry answered ${get.id} without 'uri'`)
    },
    directory: ({ uri, cursor }, call) =>
      askPage(directory, { uri: requireAddress(uri, 'resources/directory/read') }, { key: 'resources', cursor, call }),
  }
}

/** What the registry answers, whoever that is: no result of ours yet. */
type Answer = Readonly<Record<string, unknown>>

interface Page {
  /** What its rows are called. */
  readonly key: 'skills' | 'resources'
  readonly cursor: unknown
  readonly call: McpCall
}

function notThere(error: unknown, { uri }: JsonObject): RpcError {
  return new RpcError(RPC.invalidParams, toFault(error).message, { uri })
}
