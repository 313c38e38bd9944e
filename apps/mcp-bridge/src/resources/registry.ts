import { type FunctionContract, isRecord, parseSkillUri, parseUri, toFault } from '@iii/protocol'
import { InvocationError, isAbsent, type Trace, type Worker } from '@iii/sdk'
import { mayReadFile, mayReadSkill, toSkillsSeen } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { Callee, Pass } from '../gate/index.ts'
import { createCall } from '../gate/pass.ts'
import { explainInterruption } from '../invocation/failure.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** The skills worker as the bridge uses it: through the engine alone, whether it is there today or not. */
export interface RegistryClient {
  /** What it answers; undefined where nobody offers it. @throws RpcError when it cannot answer */
  askIfThere(contract: FunctionContract, payload: object, timeoutMs: number): Promise<unknown>
  /**
   * The rows of a list; undefined where nobody offers it.
   *
   * @param payload which of them; a registry of another make may answer with all @default all
   * @throws RpcError when the registry cannot answer
   */
  find<T extends object = Row>(
    contract: FunctionContract,
    key: string,
    timeoutMs: number,
    payload?: object,
  ): Promise<T[] | undefined>
  /** The rows of a list; none where the registry is not there. @throws RpcError when it cannot answer */
  list<T extends object = Row>(contract: FunctionContract, key: string, timeoutMs: number): Promise<T[]>
  /** The rows of a list that something is looked up in. @throws RpcError also when the registry is not there */
  search(contract: FunctionContract, key: string, timeoutMs: number): Promise<Row[]>
  /** What it answers. @throws RpcError when it is not there, else what it says */
  ask(
    contract: FunctionContract,
    payload: object,
    how: { timeoutMs: number; trace?: Trace | undefined },
  ): Promise<unknown>
  /**
   * What the registry does, as something to be called. It throws an RpcError that says where a registry comes from that is not there, else
   * what the registry says.
   *
   * @param pass to the function that the registry is to call, which is named in its place
   */
  through(contract: FunctionContract, pass?: Pass): Callee
}

type Row = Record<string, unknown>

/** A registry of another make may have some of these functions. */
function toAbsence({ id }: FunctionContract): RpcError {
  return new RpcError(
    RPC.internal,
    `The skills worker is not installed on this engine, not running, or without ${id}. It is the npm package @iii/skills: start it with npx -y @iii/skills`,
  )
}

/** What a list says that is without what a registry has, since there is none now. */
export const WITHOUT_REGISTRY = {
  _meta: {
    degraded: 'No skills registry is connected, or it has no such list: what it has is listed as soon as it is there',
  },
} as const

/** The same of one that is connected, and says nothing: it hangs, or does something that takes long. */
export const WITH_SILENT_REGISTRY = {
  _meta: { degraded: 'The skills registry does not answer at the moment: what it has is listed as soon as it does' },
} as const

/** The registry is there, and did not answer in time. */
export class RegistrySilence extends RpcError {}

function isLate(error: unknown): boolean {
  return error instanceof InvocationError && error.code === 'TIMEOUT'
}

export function createRegistryClient(engine: Pick<Worker, 'trigger'>): RegistryClient {
  async function askIfThere(contract: FunctionContract, payload: object, timeoutMs: number): Promise<unknown> {
    try {
      const answer = await engine.trigger({ function_id: contract.id, payload, timeoutMs })
      return answer ?? null
    } catch (error) {
      if (isAbsent(error, contract.id)) return undefined
      const told = toRegistryError(error, contract.id)
      throw isLate(error) ? new RegistrySilence(told.code, told.message) : told
    }
  }

  async function find<T extends object = Row>(
    contract: FunctionContract,
    key: string,
    timeoutMs: number,
    payload: object = {},
  ): Promise<T[] | undefined> {
    const answer = await askIfThere(contract, payload, timeoutMs)
    if (answer === undefined) return undefined
    const found = isRecord(answer) ? answer[key] : undefined
    // What they are is the contract's to say; a registry of another make is taken at its word.
    if (Array.isArray(found)) return found.filter(isRecord) as object[] as T[]
    throw new RpcError(RPC.internal, `The registry answered ${contract.id} without '${key}'`)
  }

  return {
    askIfThere,
    find,
    list: async <T extends object>(contract: FunctionContract, key: string, timeoutMs: number) =>
      (await find<T>(contract, key, timeoutMs)) ?? [],
    async search(contract, key, timeoutMs) {
      const found = await find(contract, key, timeoutMs)
      if (found === undefined) throw toAbsence(contract)
      return found
    },
    async ask(contract, payload, how) {
      try {
        return await engine.trigger({ function_id: contract.id, payload, ...how })
      } catch (error) {
        throw isAbsent(error, contract.id) ? toAbsence(contract) : error
      }
    },
    through: (contract, { functionId = contract.id, namespace, metadata = {}, renew }: Partial<Pass> = {}) => ({
      functionId,
      namespace,
      metadata,
      call: createCall(engine, {
        ...{ target: { function_id: contract.id }, renew },
        toAbsence: () => toAbsence(contract),
      }),
    }),
  }
}

/** Which skills somebody reads, as the registry is told it in a payload; nothing for all. */
export function toPrefixes(principal: Principal): { prefixes?: readonly string[] } {
  const prefixes = toSkillsSeen(principal)
  return prefixes === undefined ? {} : { prefixes }
}

/** The same as it is told beside a call. */
export function toSkillsSidecar(principal: Principal): { skills?: string[] } {
  const seen = toSkillsSeen(principal)
  return seen === undefined ? {} : { skills: [...seen] }
}

/** Is a row of the registry's list one that somebody reads? What has no address is listed for those who read everything. */
export function seesRow(principal: Principal, { uri, skill }: RegistryRow): boolean {
  if (toSkillsSeen(principal) === undefined) return true
  if (skill !== undefined) return mayReadSkill(principal, String(skill))
  const path = parseSkillUri(uri)
  if (path !== undefined) return mayReadFile(principal, path)
  const address = parseUri(uri)
  return address?.kind === 'skill' ? mayReadSkill(principal, address.id) : address !== undefined
}

/** A row of the registry's list. */
export interface RegistryRow {
  readonly uri: string
  /** Id of the skill that it belongs to, where its address does not tell. */
  readonly skill?: unknown
}

/** What a client reads when the registry failed. @param functionId what was asked, where nothing has explained yet how that ended */
export function toRegistryError(error: unknown, functionId?: string): RpcError {
  if (error instanceof RpcError) return error
  const fault = toFault(functionId === undefined ? error : explainInterruption(error, functionId))
  const isRefused = fault.code === 'invalid_input' || fault.code === 'forbidden'
  return isRefused
    ? new RpcError(RPC.invalidParams, fault.message.replace(CALLED, ''))
    : new RpcError(RPC.internal, fault.message.replace(CALLED, '$1: '))
}

/** How the registry begins what a function said that it called. What that refused is about what the client sent, whoever said it. */
const CALLED = /^trigger (\S+): /
