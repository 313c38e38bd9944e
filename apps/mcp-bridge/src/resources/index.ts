import {
  agentSkillsFunctions,
  isRecord,
  MAX_URI_LENGTH,
  parseUri,
  ResourceContents,
  SKILL_SCHEME,
  skillsFunctions,
} from '@iii/protocol'
import { suggestNames } from '@iii/sdk'
import type { InputRequiredResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { Gate, Pass } from '../gate/index.ts'
import { toSectionUri } from '../gate/section-uri.ts'
import { toKey } from '../gate/sight.ts'
import { suggestFrom } from '../gate/unknown-name.ts'
import type { FunctionCall, Invoker } from '../invocation/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { RPC, RpcError, requireText } from '../mcp/rpc.ts'
import { createAddressAdvice } from './address-advice.ts'
import { toContents } from './declared/contents.ts'
import type { DeclaredResources } from './declared/index.ts'
import type { DeclaredResource } from './declared/table.ts'
import { type EngineResources, parseEngineUri } from './engine/index.ts'
import {
  addressNotFound,
  explainAddress,
  requireShort,
  toReadError,
  toReadRefusal,
  toUnknownAddress,
} from './read-errors.ts'
import { type RegistryClient, toPrefixes, toRegistryError, toSkillsSidecar } from './registry.ts'
import { createResourceLists, type ResourceLists } from './resource-lists.ts'
import { createSkillBrief, type SkillBrief } from './skill-brief.ts'
import { createSkillTools, type SkillToolsOptions } from './skill-tools.ts'

/** Skills, sections that functions render, what functions declare as their own, and what there is on the engine, as MCP resources. */
export interface McpResources extends ResourceLists {
  read(params: Params<'resources/read'>, call: McpCall): Promise<ReadResourceResult | InputRequiredResult>
  /** What to read in place of a text that is no address; empty where nothing is near. See {@link createAddressAdvice}. */
  advise(text: string, call: McpCall): Promise<string>
  /** Throws what a read would throw for an address that is none, is hidden or belongs to nobody; reads nothing. */
  check(uri: string, call: McpCall): Promise<void>
  /** Does {@link check} let it pass? What is near is not looked for. */
  isReadable(uri: string, call: McpCall): Promise<boolean>
  readonly brief: SkillBrief
  /** Another text when other skills are listed, or others of their names and descriptions; empty where no registry tells. @throws RpcError when it cannot answer */
  digest(call: McpCall): Promise<string>
}

export interface McpResourcesOptions extends SkillToolsOptions {
  readonly registry: RegistryClient
  readonly declared: DeclaredResources
  readonly engine: EngineResources
  readonly gate: Gate
  readonly invoker: Invoker
}

type Contents = ReadResourceResult['contents']

/** Where an address leads, past the gate. */
interface Source extends Pick<FunctionCall, 'pass' | 'payload' | 'sidecar'> {
  /** Makes contents of what comes back. */
  readonly toContents: (value: unknown) => Contents
  /** Id of the skill whose text is there. */
  readonly skill?: string
}

/** Nobody has what was asked for, or not for who asks. Says so with what is near, which takes as long as a list. */
type Refuse = () => Promise<RpcError>

export function createMcpResources(options: McpResourcesOptions): McpResources {
  const { registry, engine, invoker } = options
  const toolsOf = createSkillTools(options)

  const advise = createAddressAdvice({ registry, others: engine.resources() })
  const resolve = createResolve(options, advise)

  async function find(uri: string, call: McpCall): Promise<object | Refuse> {
    requireShort(uri)
    return (await readEngine(engine, uri, call)) ?? resolve(uri, call)
  }

  return {
    async check(uri, call) {
      await requireFound(await find(uri, call))
    },
    isReadable: (uri, call) =>
      find(uri, call).then(
        (found) => typeof found !== 'function',
        () => false,
      ),
    ...createResourceLists(options),
    advise,
    brief: createSkillBrief(registry),
    async digest({ principal, limits }) {
      const asking = registry.askIfThere(agentSkillsFunctions.digest, toPrefixes(principal), limits.plainMs)
      const answer = await asking.catch(ignoreRefusal)
      return isRecord(answer) ? String(answer['digest']) : ''
    },
    async read(params, call) {
      const uri = requireText(params.uri, 'uri', 'resources/read')
      if (uri.length > MAX_URI_LENGTH) requireShort(uri)
      const ofEngine = readEngine(engine, uri, call)
      if (ofEngine !== undefined) return { contents: [await requireFound(await ofEngine)] }
      const startedAt = performance.now()
      const source = await requireFound(await resolve(uri, call))
      const { skill } = source
      const outcome = await invoker.run({ ...source, startedAt }, call, params).catch((error: unknown) => {
        throw toReadError(error, { uri, call, functionId: source.pass.functionId })
      })
      if (outcome.kind === 'input_required') return outcome.result
      const contents = source.toContents(outcome.value)
      const _meta = skill === undefined ? undefined : toolsOf(skill, call.principal)
      return _meta === undefined ? { contents } : { contents, _meta }
    },
  }
}

/** @throws the refusal */
async function requireFound<Found extends object>(found: Found | Refuse): Promise<Found> {
  if (typeof found === 'function') throw await found()
  return found
}

/** Finds where addresses lead. @param advise says what to read in place of a text that is none */
function createResolve(
  { registry, declared, engine, gate }: Omit<McpResourcesOptions, 'invoker' | 'catalog'>,
  advise: McpResources['advise'],
): (uri: string, call: McpCall) => Promise<Source | Refuse> {
  async function resolve(uri: string, call: McpCall): Promise<Source | Refuse> {
    if (!FOREIGN.test(uri)) return resolveOurs(uri, call)
    const found = uri.isWellFormed() ? await declared.find(uri, call.principal) : undefined
    if (found !== undefined) return resolveDeclared(uri, found, call)
    if (uri.startsWith(SKILL_SCHEME)) return resolveRegistered(uri, call)
    return () => toUnknownAddress(declared, uri, call)
  }

  /** What the registry reads, of what the client may read. @param pass to the function that it calls for that */
  function resolveRegistered(uri: string, call: McpCall, pass?: Pass): Source {
    return {
      pass: registry.through(skillsFunctions.resourcesRead, pass),
      payload: { uri },
      sidecar: { uri, ...toSkillsSidecar(call.principal) },
      toContents: (value) => toReadContents(value, uri),
    }
  }

  /** The registry calls the function of a section; whether this bridge shows it is decided here. */
  async function resolveOurs(uri: string, call: McpCall): Promise<Source | Refuse> {
    const address = parseUri(uri)
    if (address === undefined) {
      return async () => new RpcError(RPC.invalidParams, `${explainAddress(uri)}${await advise(uri, call)}`, { uri })
    }
    if (address.kind === 'skill') return { ...resolveRegistered(uri, call), skill: address.id }
    if (address.kind !== 'section') return resolveRegistered(uri, call)
    const { functionId, namespace } = address
    const pass = await admit({ gate, engine }, toKey({ namespace, id: functionId }), uri, call)
    return typeof pass === 'function' ? pass : resolveRegistered(uri, call, pass)
  }

  async function resolveDeclared(
    uri: string,
    { functionId, mimeType, variables }: DeclaredResource,
    call: McpCall,
  ): Promise<Source | Refuse> {
    const pass = await admit({ gate, engine }, functionId, uri, call)
    if (typeof pass === 'function') return pass
    return {
      pass,
      payload: { ...variables },
      sidecar: { uri, ...(variables === undefined ? {} : { variables }) },
      toContents: (value) => toContents(value, uri, mimeType),
    }
  }

  return resolve
}

/** Past the gate. Of a function that is not there the nearest are told that the client may see, as addresses. */
async function admit(
  { gate, engine }: Pick<McpResourcesOptions, 'gate' | 'engine'>,
  functionId: string,
  uri: string,
  call: McpCall,
): Promise<Pass | Refuse> {
  const { principal } = call
  const pass = await gate.admit(functionId, 'section', principal)
  call.trace?.leadsTo(functionId, pass)
  if (pass.allowed) return pass
  if (pass.reason !== 'unknown') throw toReadRefusal(pass, uri, call)
  return async () => {
    const near = suggestFrom(functionId, await engine.functionIds(principal).catch(() => []))
    const denials = await gate.judge(near, 'section', principal).catch(() => undefined)
    const readable = near.filter((id) => denials !== undefined && denials.get(id) === undefined)
    const nearest = readable.flatMap((id) => toSectionUri(id) ?? [])
    const advice = nearest.length === 0 ? '' : suggestNames(nearest, 'iii://skills says which to read')
    return addressNotFound(`${pass.message}${advice}`, uri, call)
  }
}

/** A port with access rules may not let this bridge ask, and another make of the registry may not understand it: nobody tells then. */
function ignoreRefusal(error: unknown): undefined {
  if (error instanceof RpcError && error.code === RPC.invalidParams) return undefined
  throw error
}

/** Undefined for an address of anybody else. */
function readEngine(
  engine: EngineResources,
  uri: string,
  call: McpCall,
): Promise<Contents[number] | Refuse> | undefined {
  const address = parseEngineUri(uri)
  if (address === undefined) return undefined
  const { principal } = call
  return engine.read(address, uri, principal).then(
    (answer) =>
      answer.allowed
        ? { uri, mimeType: 'application/json', text: answer.text }
        : async () => toReadRefusal(await engine.advise(answer, address, principal), uri, call),
    (error: unknown) => {
      throw toRegistryError(error)
    },
  )
}

/** An address of somebody else; what has no scheme at all is not an address, and told so. */
const FOREIGN = /^(?!iii:)[A-Za-z][A-Za-z0-9+.-]*:/i

function toReadContents(answer: unknown, uri: string): Contents {
  const contents = isRecord(answer) ? answer['contents'] : undefined
  if (Array.isArray(contents) && contents.every((part) => ResourceContents.safeParse(part).success))
    return contents as Contents
  throw new RpcError(RPC.internal, 'The registry answered without contents', { uri })
}
