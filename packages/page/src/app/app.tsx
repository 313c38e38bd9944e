import { useState } from 'preact/hooks'
import { ConnectView } from './connect-view.tsx'
import { connect, server, status, tools } from './connection.ts'
import { ExchangesView } from './exchanges-view.tsx'
import { place, toHash, type View } from './places.ts'
import { PromptsView } from './prompts-view.tsx'
import { Questions } from './question.tsx'
import { RunsView } from './runs-view.tsx'
import { SkillsView } from './skills-view.tsx'
import { ToolsView } from './tools-view.tsx'
import { WhyNotView } from './why-not-view.tsx'

const TITLES: Readonly<Record<View, string>> = {
  connect: 'Connect',
  tools: 'Tools',
  skills: 'Skills',
  prompts: 'Prompts',
  runs: 'Runs',
  'why-not': 'Why not?',
  exchanges: 'Messages',
}

export function App() {
  const { view, what } = place.value
  const hasRuns = tools.value.some(({ name }) => name === 'runs__list_runs')
  const views = (Object.keys(TITLES) as View[]).filter((each) => each !== 'runs' || hasRuns)
  if (status.value.kind === 'locked') return <Login />
  return (
    <>
      <header>
        <h1>
          <bdi>{server.value.title || 'iii'}</bdi>
        </h1>
        <nav aria-label="views">
          {views.map((each) => (
            <a key={each} href={toHash(each)} aria-current={each === view ? 'page' : undefined}>
              {TITLES[each]}
            </a>
          ))}
        </nav>
      </header>
      <StatusLine />
      <main>
        {view === 'connect' && <ConnectView />}
        {view === 'tools' && <ToolsView what={what} />}
        {view === 'skills' && <SkillsView what={what} />}
        {view === 'prompts' && <PromptsView what={what} />}
        {view === 'runs' && <RunsView what={what} />}
        {view === 'why-not' && <WhyNotView />}
        {view === 'exchanges' && <ExchangesView />}
      </main>
      <Questions />
    </>
  )
}

function StatusLine() {
  const { value } = status
  if (value.kind === 'ready') return null
  if (value.kind === 'connecting')
    return (
      <p class="status" role="status">
        Connecting …
      </p>
    )
  if (value.kind === 'locked') return null
  return (
    <p class="status away" role="alert">
      The server does not answer: {value.reason}. Is the engine running? Is the worker <code>mcp</code>? This page tries
      again by itself.{' '}
      <button type="button" onClick={() => void connect()}>
        Try now
      </button>
    </p>
  )
}

function Login() {
  const [token, setToken] = useState('')
  return (
    <main>
      <form
        class="alone"
        onSubmit={(event) => {
          event.preventDefault()
          void connect(token)
        }}
      >
        <h1>This server wants a token</h1>
        <div class="field">
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <p class="about">It stays in the memory of this tab.</p>
        </div>
        <button type="submit" class="primary">
          Connect
        </button>
      </form>
    </main>
  )
}
