import { agentSkillsFunctions, type FunctionContract, isRecord, type JsonObject, toFault } from '@iii/protocol'
import type { z } from 'zod'
import { toSkillsSeen } from '../auth/decision.ts'
import type { McpCall } from '../mcp/call.ts'
import { readCursor } from '../mcp/cursor.ts'
import { invalidParams, type McpResult, RPC, RpcError } from '../mcp/rpc.ts'
import type { Seal } from '../sessions/request-state-seal.ts'
import { type RegistryClient, toRegistryError } from './registry.ts'

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
  /** What comes back is the contract's to say. */
  async function ask<T extends object>(contract: Asked<T>, payload: JsonObject, call: McpCall): Promise<T> {
    const { principal, limits, carried: trace } = call
    const prefixes = toSkillsSeen(principal)
    const asked = prefixes === undefined ? payload : { ...payload, prefixes }
    const answer = await registry.ask(contract, asked, { timeoutMs: limits.plainMs, trace }).catch((error: unknown) => {
      throw toFault(error).code === 'not_found' ? notThere(error, payload) : toRegistryError(error)
    })
    if (isRecord(answer)) return answer as object as T
    throw new RpcError(RPC.internal, `The registry answered ${contract.id} with something else than an object`)
  }

  /** A page, and a cursor that is good for the next one of the same list alone. */
  async function askPage<T extends { after?: string | undefined }>(
    contract: Asked<T>,
    payload: JsonObject,
    page: Page,
  ): Promise<McpResult> {
    const { call } = page
    const cursor = readCursor(page.cursor)
    const context = `${contract.id} ${JSON.stringify([payload, toSkillsSeen(call.principal) ?? null])}`
    const after = cursor === undefined ? undefined : await seal.open(cursor, context)
    if (cursor !== undefined && after === undefined) {
      throw invalidParams("'cursor' must be the nextCursor of the page before; without one the list begins anew")
    }
    const { after: next, ...rest } = await ask(contract, after === undefined ? payload : { ...payload, after }, call)
    return { ...rest, ...(typeof next === 'string' && { nextCursor: seal.seal(next, context) }), ...CACHE }
  }

  const { list, get, directory } = agentSkillsFunctions
  return {
    list: ({ cursor }, call) => askPage(list, {}, { cursor, call }),
    get: ({ uri }, call) =>
      ask(get, { uri: requireText(uri, 'skills/get') }, call).then((skill) => ({ skill, ...CACHE })),
    directory: ({ uri, cursor }, call) =>
      askPage(directory, { uri: requireText(uri, 'resources/directory/read') }, { cursor, call }),
  }
}

type Asked<T> = FunctionContract<z.ZodType, z.ZodType<T>>

interface Page {
  readonly cursor: unknown
  readonly call: McpCall
}

function requireText(uri: unknown, method: string): string {
  if (typeof uri === 'string' && uri !== '') return uri
  throw invalidParams(`${method} needs a non-empty string 'uri'`)
}

function notThere(error: unknown, { uri }: JsonObject): RpcError {
  return new RpcError(RPC.invalidParams, toFault(error).message, { uri })
}
