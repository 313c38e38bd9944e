import { readMcpSidecar } from '@iii/protocol'
import { expect } from 'vitest'
import { hasFunctions } from '../facts.ts'
import { openSession, postMessage, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { startStack } from '../stack.ts'
import { until } from '../until.ts'

/** So many streams a session may have open. */
const STREAMS = 16
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}

scenario(
  ['asking/at-once'],
  'a call that no stream is left to ask on says so, and not that its client has left',
  async () => {
    await using stack = await startStack({ workers: ['bridge'] })
    stack.worker.registerFunction('ask::name', (_, metadata) =>
      readMcpSidecar(metadata)?.input_responses === undefined
        ? { result_type: 'input_required', input_requests: { who: FORM } }
        : 'Thank you.',
    )
    await until(() => hasFunctions(stack.worker, ['ask::name']), { what: 'the function to be there' })
    const session = await openSession(stack.mcpUrl, { elicitation: {} })
    const call = () => postRequest(stack.mcpUrl, session, 'tools/call', { name: 'ask__name' })

    const asked = Array.from({ length: STREAMS }, call)
    const isAsked = () => asked.every(({ messages }) => messages.length === 1)
    await until(isAsked, { what: 'all of them to be asked' })
    const [refused] = await call().over
    expect(refused?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('too many streams') }],
    })
    expect(JSON.stringify(refused)).not.toContain('left')

    for (const { messages } of asked) {
      const result = { action: 'accept', content: { name: 'Ada' } }
      await postMessage(stack.mcpUrl, session, { id: messages[0]?.id, result })
    }
    for (const { over } of asked) expect((await over)[1]?.result).toMatchObject({ content: [{ text: 'Thank you.' }] })
  },
)
