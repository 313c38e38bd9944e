import { isRecord } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { readToldPrincipal, tellPrincipal } from '../auth/told-principal.ts'
import { createQuestions, type SessionQuestions } from './questions.ts'

/**
 * Questions of this bridge, which hears of answers that its clients posted to a twin on the same engine: whoever registered the route
 * last gets all of them.
 */
export function serveQuestions(worker: Worker, timeoutMs: number): SessionQuestions {
  const questions = createQuestions({
    async forward(name, handle, { by, ...answer }) {
      const function_id = await findAsker(worker, name, timeoutMs)
      if (function_id === undefined) return true
      const call = {
        function_id,
        payload: { handle, ...answer, principal: by && tellPrincipal(by) },
        timeoutMs,
      }
      // A bridge that has gone waits for nothing.
      const said: unknown = await worker.trigger(call).catch(() => undefined)
      return !isRecord(said) || said['is_foreign'] !== true
    },
  })
  worker.registerFunction(`mcp::${worker.instance}${toEnding(questions.name)}`, async (payload: unknown) => {
    const { handle, id, result, error, principal } = isRecord(payload) ? payload : {}
    if (typeof id !== 'number') return {}
    const own = typeof handle === 'string' ? handle : undefined
    return (await questions.answer(own, { id, result, error, by: readToldPrincipal(principal) }))
      ? {}
      : { is_foreign: true }
  })
  return questions
}

/** The id has the name of the process, as all that is one bridge's alone; an answer has no room for it. */
function toEnding(name: number): string {
  return `::answers::${name}`
}

async function findAsker(worker: Worker, name: number, timeoutMs: number): Promise<string | undefined> {
  const payload = { prefix: 'mcp::', include_internal: true }
  const call = { function_id: 'engine::functions::list', payload, timeoutMs }
  const listed: unknown = await worker.trigger(call).catch(() => undefined)
  const rows: readonly unknown[] = isRecord(listed) && Array.isArray(listed['functions']) ? listed['functions'] : []
  const ids = rows.map((row) => (isRecord(row) ? row['function_id'] : undefined))
  return ids.find((id): id is string => typeof id === 'string' && id.endsWith(toEnding(name)))
}
