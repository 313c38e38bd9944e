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

/** Comes in with a token, whatever this page came in with before. */
export function TokenField() {
  const [token, setToken] = useState('')

  function submit(event: Event): void {
    event.preventDefault()
    if (token.trim() !== '') void connect(token.trim())
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
      </div>
      <button type="submit" class="primary">
        Connect
      </button>
    </form>
  )
}
