import { explainUri, parseUri, type ResourceUri, skillsFunctions, toFault } from '@iii/protocol'
import type { McpCall } from './call.ts'
import { createDeadline } from './deadline.ts'
import type { Gate } from './gate.ts'
import { type Registry, toRegistryError } from './registry.ts'
import { explainReserved } from './reserved-addresses.ts'
import { isObject, type JsonObject, RPC, RpcError } from './rpc.ts'
import type { ToSidecar } from './sidecar.ts'

/** Skills, and sections that functions render, as MCP resources. */
export interface Resources {
  list(call: McpCall): Promise<JsonObject>
  templates(call: McpCall): Promise<JsonObject>
  read(params: JsonObject, call: McpCall): Promise<JsonObject>
}

export interface ResourcesOptions {
  readonly registry: Registry
  readonly gate: Gate
  readonly toSidecar: ToSidecar
}

export function createResources({ registry, gate, toSidecar }: ResourcesOptions): Resources {
  /** The registry calls the function of a section; whether this bridge shows it is decided here. */
  async function requireReadable(uri: string, call: McpCall): Promise<void> {
    const address = requireAddress(uri, call)
    if (address.kind !== 'section') return
    const pass = await gate.admit(address.functionId, 'section')
    if (pass.allowed) return
    if (pass.reason === 'unknown') throw notFound(pass.message, uri, call)
    throw new RpcError(pass.reason === 'unverified' ? RPC.internal : RPC.invalidParams, pass.message, { uri })
  }

  return {
    async list({ limits }) {
      return { resources: await registry.list(skillsFunctions.resourcesList, 'resources', limits.plainMs) }
    },
    async templates({ limits }) {
      const rows = await registry.list(skillsFunctions.resourcesTemplates, 'resourceTemplates', limits.plainMs)
      return { resourceTemplates: rows }
    },
    async read(params, call) {
      const { uri } = params
      if (typeof uri !== 'string' || uri === '') {
        throw new RpcError(RPC.invalidParams, "Invalid params: resources/read needs a non-empty string 'uri'")
      }
      const deadline = createDeadline(call.limits.timeoutMs)
      await requireReadable(uri, call)
      const options = { timeoutMs: deadline.leftMs(), metadata: toSidecar(call), signal: call.signal }
      const answer = await registry.ask(skillsFunctions.resourcesRead, { uri }, options).catch((error: unknown) => {
        throw toReadError(error, uri, call)
      })
      if (isObject(answer) && Array.isArray(answer['contents'])) return { contents: answer['contents'] }
      throw new RpcError(RPC.internal, 'The registry answered without contents', { uri })
    },
  }
}

function requireAddress(uri: string, call: McpCall): ResourceUri {
  const address = parseUri(uri)
  if (address === undefined) throw new RpcError(RPC.invalidParams, explainUri(uri) ?? 'Not an iii:// address', { uri })
  const reserved = explainReserved(uri)
  if (reserved !== undefined) throw notFound(reserved, uri, call)
  return address
}

function toReadError(error: unknown, uri: string, call: McpCall): RpcError {
  const fault = toFault(error)
  return fault.code === 'not_found' ? notFound(fault.message, uri, call) : toRegistryError(error)
}

/** The revisions disagree about the code. */
function notFound(message: string, uri: string, { era }: McpCall): RpcError {
  return new RpcError(era === 'stateless' ? RPC.invalidParams : RPC.resourceNotFound, message, { uri })
}
