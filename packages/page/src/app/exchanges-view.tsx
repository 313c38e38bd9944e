import { exchanges } from './connection.ts'
import { Json } from './content.tsx'

/** The JSON-RPC messages between this page and the server, the last first. */
export function ExchangesView() {
  return (
    <article class="alone">
      <h2>What was said</h2>
      <p class="quiet">The last messages of JSON-RPC between this page and the server.</p>
      {exchanges.value
        .map((exchange, at) => ({ exchange, at }))
        .reverse()
        .map(({ exchange: { at: time, direction, message }, at }) => (
          <details key={`${time} ${at}`}>
            <summary>
              {direction === 'sent' ? '→' : '←'}{' '}
              {'method' in message ? message.method : 'result' in message ? 'result' : 'error'}{' '}
              <span class="quiet">{new Date(time).toLocaleTimeString()}</span>
            </summary>
            <Json value={message} />
          </details>
        ))}
    </article>
  )
}
