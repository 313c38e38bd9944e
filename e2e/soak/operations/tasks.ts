import { setTimeout as pause } from 'node:timers/promises'
import type { SentMessage } from '../../raw-client.ts'
import type { CallVerdict } from '../ledger.ts'
import type { Model, ReadExpectation } from '../model.ts'
import { type Operation, RIGHT, refused, toWrong } from '../operation.ts'

const LOOK_EVERY_MS = 400
/** A task takes a fraction of a second; the rest is for a bridge that is away, or gives its function up. */
const OVER_MS = 60_000
let count = 0

/** Tasks that were acknowledged end, with what their function said or with why there is none. */
export function createTasks(model: Model): Operation {
  return {
    ...{ name: 'tasks/get', weight: 1 },
    async run(client) {
      const token = `token-${++count}-`
      const args = { name: 'soak__task', arguments: { token, steps: 2 } }
      const { result, error } = await client.ask('tools/call', args)
      if (error !== undefined) return refused(`${error.code} ${error.message}`)
      const taskId = result?.['taskId']
      // For a client of a session there are no tasks.
      if (typeof taskId !== 'string') return judgeResult(result, token)
      model.write(taskId).acknowledged()
      return await follow((params) => client.ask('tasks/get', params), {
        taskId,
        token,
        expected: model.expect(taskId),
      })
    },
  }
}

interface Followed {
  readonly taskId: string
  readonly token: string
  readonly expected: ReadExpectation
}

async function follow(
  get: (params: { taskId: string }) => Promise<SentMessage>,
  { taskId, token, expected }: Followed,
): Promise<CallVerdict> {
  const endsAt = performance.now() + OVER_MS
  let last = 'nothing'
  while (performance.now() < endsAt) {
    await pause(LOOK_EVERY_MS)
    const message = await get({ taskId }).catch((error: Error) => error)
    if (message instanceof Error) {
      last = message.message
      continue
    }
    const verdict = judgeTask(message, token, expected)
    if (verdict !== undefined) return verdict
    last = message.error?.message ?? String(message.result?.['status'])
  }
  return { outcome: 'hung', text: `a task is not over after ${OVER_MS} ms: ${last}` }
}

/** @returns undefined while it is not over */
function judgeTask({ result, error }: SentMessage, token: string, expected: ReadExpectation): CallVerdict | undefined {
  if (error?.code === -32602) {
    const problem = expected.judge(undefined)
    return problem === undefined ? refused(error.message) : toWrong(`${problem}: ${error.message}`)
  }
  if (result?.['status'] === 'completed') return judgeResult(result['result'], token)
  return result?.['status'] === 'failed' ? refused(JSON.stringify(result['error'])) : undefined
}

function judgeResult(result: unknown, token: string): CallVerdict {
  const text = JSON.stringify(result) ?? ''
  if (text.includes(token)) return RIGHT
  return text.includes('"isError":true') ? refused(text) : toWrong(`no ${token} in ${text}`)
}
