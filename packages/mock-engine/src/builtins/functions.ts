import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import { EngineError } from '../engine-error.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { builtin } from './define.ts'
import { functionDetail, functionSummary, isInternal, workerNameOf } from './views.ts'

/** How many functions one `engine::functions::info` may ask for. */
const MAX_BATCH = 32

/** `engine::functions::list` and `engine::functions::info`. */
export function functionBuiltins(bus: Bus, workerName: string): EngineFunction[] {
  const mayCall = (callerId: string | undefined, id: string) => {
    const session = callerId === undefined ? undefined : bus.workers.get(callerId)?.session
    return !session || session.refuseCall(id) === undefined
  }
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
        const found = bus.functions.list().filter((entry) => matches(bus, filter, entry) && mayCall(callerId, entry.id))
        const ranked = filter.search ? rank(found, filter.search) : found
        return objectText({ functions: arrayText(ranked.map((entry) => functionSummary(bus, entry))) })
      },
    }),
    builtin(workerName, {
      id: 'engine::functions::info',
      description: 'One function by `function_id`, or up to 32 by `function_ids`: schemas, worker and bindings.',
      input: { struct: 'FunctionInfoInput', fields: { function_id: 'string?', function_ids: 'strings?' } },
      handle({ function_id: id, function_ids: ids }, { callerId }) {
        if (ids) return batch(bus, onlyBatch(id, ids), (one) => mayCall(callerId, one))
        if (id === undefined) throw invalid('missing field `function_id` (or `function_ids` for a batch)')
        if (!mayCall(callerId, id))
          throw new EngineError('FORBIDDEN', `Function '${id}' is not visible to this session.`)
        const entry = bus.functions.get(id)
        if (!entry) throw new EngineError('NOT_FOUND', `Function '${id}' is not registered.`)
        return functionDetail(bus, entry)
      },
    }),
  ]
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
  const name = workerNameOf(bus, entry.id)
  if (filter.worker !== undefined && name !== filter.worker) return false
  if (filter.workers && filter.workers.length > 0 && !filter.workers.includes(name)) return false
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

function batch(bus: Bus, ids: readonly string[], mayCall: (id: string) => boolean): JsonText {
  const rows = ids.map((id) => {
    const entry = bus.functions.get(id)
    if (entry && mayCall(id)) return functionDetail(bus, entry)
    return objectText({ function_id: quote(id), error: quote(mayCall(id) ? 'not_found' : 'forbidden') })
  })
  return objectText({ functions: arrayText(rows) })
}

function invalid(message: string): EngineError {
  return new EngineError('INVALID_ARGUMENTS', message)
}
