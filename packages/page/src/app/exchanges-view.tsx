import { exchanges } from './connection.ts'
import { Json } from './content.tsx'
import type { SeenMessage } from './exchanges.ts'
import { Fold } from './fold.tsx'

/** The JSON-RPC messages between this page and the server, the last first. */
export function ExchangesView() {
  return (
    <article class="alone">
      <h2>What was said</h2>
      <p class="quiet">The last messages of JSON-RPC between this page and the server.</p>
      <Messages of={exchanges.value.toReversed()} />
    </article>
  )
}

export function Messages({ of }: { of: readonly SeenMessage[] }) {
  return of.map(({ seq, at, direction, message }) => (
    <Fold
      key={seq}
      summary={
        <>
          {direction === 'sent' ? '→' : '←'} {toName(message)}{' '}
          <span class="quiet">{new Date(at).toLocaleTimeString()}</span>
        </>
      }
    >
      {() => <Json value={message} />}
    </Fold>
  ))
}

function toName(message: SeenMessage['message']): string {
  if ('method' in message) return message.method
  return 'result' in message ? 'result' : 'error'
}
