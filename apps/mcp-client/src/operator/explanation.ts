import { isAllowed } from '../catalog/allowed.ts'
import { findCapability } from '../catalog/operation-functions.ts'
import { toToolId } from '../catalog/tool-id.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import type { ServerView } from './server-view.ts'

/** What this worker's file makes of a function. */
export interface Explanation {
  readonly state: 'registered' | 'pending' | 'denied' | 'left_out' | 'not_running' | 'not_listed' | 'unknown'
  /** As the server names it, where that is known. */
  readonly tool: string | undefined
  /** The place in the file that decides: `servers.github.tools.deny`. */
  readonly rule: string
  readonly reason: string
  /** What would change it. */
  readonly change: string | undefined
}

/** Says which rule of the file decides about a function of a server. */
export function explainFunction(id: string, view: ServerView): Explanation {
  return explainRest(view) ?? explainOperation(id, view) ?? explainTool(id, view)
}

/** A server that does not run has no functions. */
function explainRest({ name, entry, state, notes }: ServerView): Explanation | undefined {
  if (state !== 'malformed' && state !== 'disabled' && state !== 'untrusted' && state !== 'conflict') return undefined
  const place = `servers.${name}`
  const config = entry !== undefined && 'config' in entry ? entry.config : undefined
  const rules = { malformed: place, disabled: `${place}.disabled`, untrusted: `${place}.trust`, conflict: place }
  const changes = {
    malformed: 'mend the file; the worker takes it up without a restart',
    disabled: `take ${place}.disabled away`,
    untrusted: `write trust: unsandboxed below ${place}, if you trust ${config?.command ?? 'its program'} with all rights of the worker`,
    conflict: 'give the server another name',
  }
  const reason = notes.map(({ message }) => message).join('; ')
  return {
    state: 'not_running',
    tool: undefined,
    rule: rules[state],
    reason: reason === '' ? `the server is ${state}` : reason,
    change: changes[state],
  }
}

function explainOperation(id: string, { name, entry, status }: ServerView): Explanation | undefined {
  const prefix = `${name}::mcp::`
  if (!id.startsWith(prefix) || entry === undefined || !('config' in entry)) return undefined
  const rule = `servers.${name}.operations`
  const capability = findCapability(id.slice(prefix.length))
  if (capability === undefined) {
    const reason = 'there is no such operation of resources or prompts'
    return { state: 'not_listed', tool: undefined, rule, reason, change: undefined }
  }
  if (!entry.config.operations) {
    const reason = 'resources and prompts of this server are not functions'
    return { state: 'denied', tool: undefined, rule, reason, change: `write operations: true below servers.${name}` }
  }
  const capabilities = status?.server?.capabilities
  const has = capabilities?.join(', ') ?? 'not known now'
  const reason = `operations: true makes functions of resources and prompts, as far as the server has them (its capabilities: ${has})`
  return {
    state: capabilities === undefined ? 'unknown' : capabilities.includes(capability) ? 'registered' : 'left_out',
    tool: undefined,
    rule,
    reason,
    change: undefined,
  }
}

function explainTool(id: string, view: ServerView): Explanation {
  const { name, entry, status } = view
  const config = entry !== undefined && 'config' in entry ? entry.config : undefined
  const found = status?.tools.find(({ tool, functionId }) => functionId === id || toToolId(name, tool) === id)
  if (found === undefined) return explainAbsence(id, view, config)
  const { tool, state } = found
  const rule = config === undefined ? undefined : findRule(config, tool)
  if (state === 'registered') {
    return {
      state,
      tool,
      rule: rule?.place ?? `servers.${name}.tools`,
      reason: rule?.text ?? 'the worker shows it',
      change: undefined,
    }
  }
  if (state === 'denied') return { state, tool, ...toDenied(name, rule) }
  if (state === 'pending') {
    const kind = status?.pending.find((one) => one.tool.name === tool)?.kind
    const reason = kind === undefined ? 'it is new, or has changed since it was approved' : PENDING[kind]
    const change = `look at it with iii-mcp-client approve ${name} ${tool}`
    return { state, tool, rule: `servers.${name}.changed_tools`, reason, change }
  }
  const why = status?.diagnostics.find(({ subject }) => subject === tool || subject === id)
  const reason = why?.message ?? 'it cannot be a function'
  return {
    state,
    tool,
    rule: `servers.${name}`,
    reason,
    change: 'nothing here: only another definition of the server would',
  }
}

const PENDING = {
  new: 'it is new, and nobody has approved it',
  changed: 'it has changed since it was approved',
  command: 'what the server runs has changed since it was approved',
} as const

/** The server is not known to list it: its name may stand in the id, and then the file says something all the same. */
function explainAbsence(
  id: string,
  { name, status, state }: ServerView,
  config: ServerConfig | undefined,
): Explanation {
  const tool = id.slice(name.length + 2)
  const rule = config === undefined ? undefined : findRule(config, tool)
  if (rule !== undefined && !rule.isAllowing) return { state: 'denied', tool, ...toDenied(name, rule) }
  const place = rule?.place ?? `servers.${name}.tools`
  if (status !== undefined && status.tools.length > 0) {
    return { state: 'not_listed', tool, rule: place, reason: 'the server lists no such tool', change: undefined }
  }
  const why = status === undefined ? 'no worker runs it that could say' : `the server is ${state ?? 'not there'}`
  return {
    state: 'unknown',
    tool,
    rule: place,
    reason: `${rule?.text ?? 'the file says nothing against it'}; whether the server has it is not known: ${why}`,
    change: undefined,
  }
}

interface ToolRule {
  readonly isAllowing: boolean
  readonly place: string
  readonly text: string
}

/** The pattern that decides about a tool. */
function findRule({ name, tools }: ServerConfig, tool: string): ToolRule {
  const place = `servers.${name}.tools`
  const denying = tools.deny.find((pattern) => !isAllowed({ tools: { allow: ['*'], deny: [pattern] } }, tool))
  if (denying !== undefined) return { isAllowing: false, place: `${place}.deny`, text: `'${denying}' denies it` }
  const allowing = tools.allow.find((pattern) => isAllowed({ tools: { allow: [pattern], deny: [] } }, tool))
  if (allowing !== undefined) return { isAllowing: true, place: `${place}.allow`, text: `'${allowing}' allows it` }
  return { isAllowing: false, place: `${place}.allow`, text: 'no pattern allows it' }
}

function toDenied(name: string, rule: ToolRule | undefined): Pick<Explanation, 'rule' | 'reason' | 'change'> {
  const place = rule?.place ?? `servers.${name}.tools`
  return {
    rule: place,
    reason: rule?.text ?? 'the file denies it',
    change: `change ${place}; the worker takes it up without a restart`,
  }
}
