import { isRecord } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { createQuestions, type SessionQuestions } from './questions.ts'

/** What a bridge is named in the ids of its questions; nothing else that a client writes there is called. */
const NAME = /^[A-Za-z0-9-]{1,64}$/

/**
 * Questions of this bridge, which hears of answers that its clients posted to a twin on the same engine: whoever registered the route
 * last gets all of them.
 */
export function serveQuestions(worker: Worker, timeoutMs: number): SessionQuestions {
  const questions = createQuestions({
    name: worker.instance,
    forward(name, handle, answer) {
      if (!NAME.test(name)) return
      const call = { function_id: toAnswerId(name), payload: { handle, ...answer }, timeoutMs }
      // A bridge that has gone waits for nothing.
      worker.trigger(call).catch(() => undefined)
    },
  })
  worker.registerFunction(toAnswerId(worker.instance), (payload: unknown) => {
    const { handle, id, result, error } = isRecord(payload) ? payload : {}
    if (typeof handle === 'string' && typeof id === 'string') questions.answer(handle, { id, result, error })
    return {}
  })
  return questions
}

function toAnswerId(name: string): string {
  return `mcp::${name}::answer`
}
