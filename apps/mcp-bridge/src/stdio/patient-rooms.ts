import { toToolError } from '@iii/protocol'
import type { ListKind } from '../changes/index.ts'
import type { McpResult } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { Rooms } from '../mcp/server.ts'
import type { EnginePresence } from './engine-presence.ts'

/** Rooms that answer while the engine is away: lists with what there is, all else with an error that says so. */
export function toPatientRooms(rooms: Rooms, presence: EnginePresence): Rooms {
  const { tools, lists, resources, prompts, completion, subscriptions, tasks } = rooms

  async function reach<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (await presence.isThere(signal)) return work()
    throw new RpcError(RPC.internal, presence.explanation)
  }

  /** Of what was never known there is what the bridge has of its own for now; what was known once and cannot be asked for is an error. */
  async function list<T extends McpResult>(kind: ListKind, own: T, work: () => Promise<T>): Promise<T> {
    if (await presence.isKnown()) return work()
    presence.owe(kind)
    return own
  }

  return {
    ...rooms,
    tools: {
      ...tools,
      // The catalog keeps the last list there was.
      list: (call) => list('tools', tools.listOwn(call), () => tools.list(call)),
      call: async (params, call) =>
        tools.worksAlone(params) || (await presence.isThere(call.signal))
          ? tools.call(params, call)
          : { ...toToolError(presence.explanation) },
    },
    lists: {
      resources: (call) =>
        list<McpResult>('resources', resources.listOwn(), () => reach(() => lists.resources(call), call.signal)),
      templates: (call) =>
        list<McpResult>('resources', resources.templatesOwn(), () => reach(() => lists.templates(call), call.signal)),
      prompts: (call) =>
        list<McpResult>('prompts', prompts.listOwn(), () => reach(() => lists.prompts(call), call.signal)),
    },
    resources: {
      ...resources,
      read: (params, call) => reach(() => resources.read(params, call), call.signal),
    },
    prompts: {
      ...prompts,
      get: (params, call) => reach(() => prompts.get(params, call), call.signal),
    },
    completion: { complete: (params, call) => reach(() => completion.complete(params, call), call.signal) },
    subscriptions: {
      ...subscriptions,
      subscribe(params, call) {
        const work = () => subscriptions.subscribe(params, call)
        return call.session === undefined ? work() : reach(work, call.signal)
      },
    },
    tasks: {
      ...tasks,
      get: (params, call) => reach(() => tasks.get(params, call), call.signal),
      update: (params, call) => reach(() => tasks.update(params, call), call.signal),
      cancel: (params, call) => reach(() => tasks.cancel(params, call), call.signal),
    },
  }
}
