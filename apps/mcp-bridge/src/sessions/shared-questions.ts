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
      const call = {
        function_id: toAnswerId(name),
        payload: { handle, ...answer, principal: by && tellPrincipal(by) },
        timeoutMs,
      }
      // A bridge that has gone waits for nothing.
      const said: unknown = await worker.trigger(call).catch(() => undefined)
      return !isRecord(said) || said['is_foreign'] !== true
    },
  })
  worker.registerFunction(toAnswerId(questions.name), async (payload: unknown) => {
    const { handle, id, result, error, principal } = isRecord(payload) ? payload : {}
    if (typeof id !== 'number') return {}
    const own = typeof handle === 'string' ? handle : undefined
    return (await questions.answer(own, { id, result, error, by: readToldPrincipal(principal) }))
      ? {}
      : { is_foreign: true }
  })
  return questions
}

function toAnswerId(name: number): string {
  return `mcp::answers::${name}`
}
