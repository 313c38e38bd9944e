import { useState } from 'preact/hooks'
import { connect, status } from './connection.ts'

/** How it stands between this page and the server; nothing while all is well. */
export function StatusLine() {
  const { value } = status
  if (value.kind === 'connecting') {
    return (
      <p class="status" role="status">
        Connecting …
      </p>
    )
  }
  if (value.kind !== 'away') return null
  const { what, todo } = value.reason
  return (
    <div class="status away" role="alert">
      <strong>{what}</strong> {todo} This page tries again by itself.{' '}
      <button type="button" onClick={() => void connect()}>
        Try now
      </button>
    </div>
  )
}

/** Asks for a token; without one there is nothing else to be seen. */
export function TokenForm({ isRefused }: { isRefused: boolean }) {
  return (
    <main>
      <article class="alone">
        <h1>This server wants a token</h1>
        {isRefused && (
          <p class="failed" role="alert">
            It does not take that one.
          </p>
        )}
        <TokenField />
      </article>
    </main>
  )
}

/** What may stand behind `Bearer` (RFC 6750 §2.1). Some of all else no browser sends. */
const BEARER_TEXT = /^[A-Za-z0-9._~+/-]+=*$/

/** Comes in with a token, whatever this page came in with before. */
export function TokenField() {
  const [token, setToken] = useState('')
  const [isOdd, setOdd] = useState(false)

  function submit(event: Event): void {
    event.preventDefault()
    const text = token.trim()
    setOdd(text !== '' && !BEARER_TEXT.test(text))
    if (BEARER_TEXT.test(text)) void connect(text)
  }

  return (
    <form onSubmit={submit}>
      <div class="field">
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          aria-describedby="token-about"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-about" class="about">
          It stays in the memory of this tab.
        </p>
        {isOdd && (
          <p class="failed" role="alert">
            A token has letters, digits and - . _ ~ + / = alone: this one was changed on its way here.
          </p>
        )}
      </div>
      <button type="submit" class="primary">
        Connect
      </button>
    </form>
  )
}
