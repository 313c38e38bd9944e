import type { Worker } from '@iii/sdk'
import { type IdentityHeaders, type LiveReply, openSessionStream } from './raw-client.ts'
import { until } from './until.ts'

/** The stream of a session for what no request is about. It is there when this resolves: what was announced has come by it. */
export async function startListening(
  url: string,
  identity: IdentityHeaders,
  worker: Pick<Worker, 'trigger'>,
): Promise<LiveReply> {
  const listener = openSessionStream(url, identity)
  await until(
    async () => {
      await worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'tools' } })
      return listener.messages.length > 0
    },
    { what: 'the stream' },
  )
  return listener
}
