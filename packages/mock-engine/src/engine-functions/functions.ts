import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { builtin } from '../builtins/define.ts'
import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import { functionDetail, functionSummary, isInternal, workerNameOf } from './rows.ts'

/** How many functions one `engine::functions::info` may ask for. */
const MAX_BATCH = 32

/** `engine::functions::list` and `engine::functions::info`. */
export function functionBuiltins(bus: Bus, workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::functions::list',
      description: 'The registered functions, without their schemas.',
      input: {
        struct: 'FunctionsListInput',
        fields: {
          search: 'string?',
          prefix: 'string?',
          worker: 'string?',
          workers: 'strings?',
          include_internal: 'boolean?',
        },
      },
      handle(filter, { callerId }) {
        const found = bus.functions
          .list()
          .filter((entry) => matches(bus, filter, entry) && mayCall(bus, callerId, entry.id, entry.namespace))
        const ranked = filter.search ? rank(found, filter.search) : found
        return objectText({ functions: arrayText(ranked.map((entry) => functionSummary(bus, entry))) })
      },
    }),
    builtin(workerName, {
      id: 'engine::functions::info',
      description: 'One function by `function_id`, or up to 32 by `function_ids`: schemas, worker and bindings.',
      input: {
        struct: 'FunctionInfoInput',
        fields: {
          function_id: 'string?',
          function_ids: 'strings?',
          ...bus.generation.newer({ namespace: 'string?' } as const),
        },
      },
      handle({ function_id: id, function_ids: ids, namespace }, { callerId }) {
        if (ids) return batch(bus, onlyBatch(id, ids), (one) => lookUp(bus, callerId, one, namespace))
        if (id === undefined) throw invalid('missing field `function_id` (or `function_ids` for a batch)')
        const found = lookUp(bus, callerId, id, namespace)
        if (found === 'forbidden')
          throw new EngineError('FORBIDDEN', `Function '${id}' is not visible to this session.`)
        if (found === 'not_found') throw new EngineError('NOT_FOUND', explainAbsence(bus, id))
        return functionDetail(bus, found)
      },
    }),
  ]
}

function mayCall({ workers }: Bus, callerId: string | undefined, id: string, namespace: string): boolean {
  const session = callerId === undefined ? undefined : workers.get(callerId)?.session
  return !session || session.refuseCall(id, namespace) === undefined
}

type Found = EngineFunction | 'not_found' | 'forbidden'

/** A function of the namespace that is named; else of the default one, else of the only one that has it. */
function lookUp(bus: Bus, callerId: string | undefined, id: string, named: string | undefined): Found {
  const places = bus.functions.namespacesOf(id)
  const [only] = places
  const inferred = places.includes(DEFAULT_NAMESPACE) || places.length !== 1 ? DEFAULT_NAMESPACE : only
  const entry = bus.functions.get(id, named ?? inferred)
  if (!entry && bus.generation.access.absenceTold) return 'not_found'
  if (!mayCall(bus, callerId, id, entry?.namespace ?? DEFAULT_NAMESPACE)) return 'forbidden'
  return entry ?? 'not_found'
}

/** Also when there is just one, in another namespace than was asked for. */
function explainAbsence({ functions }: Bus, id: string): string {
  const places = functions.namespacesOf(id)
  if (places.length === 0) return `Function '${id}' is not registered.`
  return `Function '${id}' is ambiguous: it is registered in namespace(s): ${places.join(', ')}. Pass \`namespace\` to select one.`
}

interface ListFilter {
  readonly search: string | undefined
  readonly prefix: string | undefined
  readonly worker: string | undefined
  readonly workers: readonly string[] | undefined
  readonly include_internal: boolean | undefined
}

function matches(bus: Bus, filter: ListFilter, entry: EngineFunction): boolean {
  if (!filter.include_internal && isInternal(entry)) return false
  if (filter.prefix !== undefined && !entry.id.startsWith(filter.prefix)) return false
  const workers = [...(filter.worker === undefined ? [] : [filter.worker]), ...(filter.workers ?? [])]
  if (workers.length > 0 && !workers.includes(workerNameOf(bus, entry.id, entry.namespace))) return false
  const wanted = filter.search?.toLowerCase() ?? ''
  return has(entry.id, wanted) || has(entry.description ?? '', wanted)
}

function has(text: string, lowerCase: string): boolean {
  return text.toLowerCase().includes(lowerCase)
}

/** Functions with a part of this name come first, then those found by their id, then those found by their description. */
function rank(found: readonly EngineFunction[], search: string): EngineFunction[] {
  const wanted = search.toLowerCase()
  const rankOf = ({ id }: EngineFunction) => {
    const parts = id.toLowerCase().split('::')
    return parts.includes(wanted) ? 0 : Number(!has(id, wanted)) + 1
  }
  return found.toSorted((a, b) => rankOf(a) - rankOf(b))
}

function onlyBatch(id: string | undefined, ids: readonly string[]): string[] {
  if (id !== undefined) throw invalid('pass either `function_id` or `function_ids`, not both')
  if (ids.length === 0) throw invalid('`function_ids` must be a non-empty array of function ids')
  const unique = [...new Set(ids)]
  if (unique.length > MAX_BATCH) throw invalid(`too many function_ids (max ${MAX_BATCH})`)
  return unique
}

function batch(bus: Bus, ids: readonly string[], find: (id: string) => Found): JsonText {
  const rows = ids.map((id) => {
    const found = find(id)
    return typeof found === 'string'
      ? objectText({ function_id: quote(id), error: quote(found) })
      : functionDetail(bus, found)
  })
  return objectText({ functions: arrayText(rows) })
}

function invalid(message: string): EngineError {
  return new EngineError('INVALID_ARGUMENTS', message)
}
