import { useErrorBoundary } from 'preact/hooks'
import { ConnectView } from './connect-view.tsx'
import { listedTools, server, status } from './connection.ts'
import { ExchangesView } from './exchanges-view.tsx'
import { type PagePlace, shownPlace, toHash, type ViewName } from './places.ts'
import { PromptsView } from './prompts-view.tsx'
import { Questions } from './question.tsx'
import { RunsView } from './runs-view.tsx'
import { SkillsView } from './skills-view.tsx'
import { StatusLine, TokenForm } from './status-line.tsx'
import { ToolsView } from './tools-view.tsx'
import { WhyNotView } from './why-not-view.tsx'

const TITLES: Readonly<Record<ViewName, string>> = {
  connect: 'Connect',
  tools: 'Tools',
  skills: 'Skills',
  prompts: 'Prompts',
  runs: 'Runs',
  'why-not': 'Why not?',
  exchanges: 'Messages',
}

export function App() {
  if (status.value.kind === 'locked') return <TokenForm isRefused={status.value.isRefused} />
  const { value: shown } = shownPlace
  const hasRuns = listedTools.value.some(({ name }) => name === 'runs__list_runs')
  const views = (Object.keys(TITLES) as ViewName[]).filter((each) => each !== 'runs' || hasRuns)
  return (
    <>
      <header>
        <h1>
          <bdi>{server.value.title || 'iii'}</bdi>
        </h1>
        <nav aria-label="views">
          {views.map((each) => (
            <a key={each} href={toHash(each)} aria-current={each === shown.view ? 'page' : undefined}>
              {TITLES[each]}
            </a>
          ))}
        </nav>
      </header>
      <StatusLine />
      <main>
        <Shown key={shown.view} place={shown} />
      </main>
      <Questions />
    </>
  )
}

/** One view. What it cannot show keeps nobody from the others. */
function Shown({ place: { view, what } }: { place: PagePlace }) {
  const [broken, mend] = useErrorBoundary()
  if (broken) {
    return (
      <div class="alone" role="alert">
        <p class="failed">This view cannot show what the server sent: {String(broken)}</p>
        <button type="button" onClick={mend}>
          Try again
        </button>
      </div>
    )
  }
  if (view === 'connect') return <ConnectView />
  if (view === 'tools') return <ToolsView what={what} />
  if (view === 'skills') return <SkillsView what={what} />
  if (view === 'prompts') return <PromptsView what={what} />
  if (view === 'runs') return <RunsView what={what} />
  return view === 'why-not' ? <WhyNotView /> : <ExchangesView />
}
