import { useState } from 'preact/hooks'
import { explain } from './connection.ts'
import { Json } from './content.tsx'
import { GraphPicture } from './graph.tsx'
import { List } from './list.tsx'
import { usePoll } from './poll.ts'
import { compare, listRuns, type Run, type RunRow, readGraph, readRun, type TaskRecord } from './runs.ts'

const EVERY_MS = 2_000

export function RunsView({ what }: { what: string }) {
  const { value: runs = [], failure } = usePoll(listRuns, EVERY_MS, 'runs')
  const rows = runs.map((run) => ({ key: run.id, title: toTitle(run), about: toLine(run) }))
  return (
    <div class={what === '' ? 'split' : 'split chosen'}>
      <List view="runs" rows={rows} chosen={what} noun="runs" />
      <section class="detail">
        {failure !== undefined && <p class="result failed">{failure}</p>}
        {what === '' ? <WholeGraph /> : <RunDetail key={what} id={what} others={runs} />}
      </section>
    </div>
  )
}

function toTitle({ status, job, kind, tasks }: RunRow): string {
  const sign = { passed: '✓', failed: '✗', running: '…', cancelled: '–' }[status] ?? '•'
  return `${sign} ${job ?? tasks[0]?.id ?? kind}`
}

function toLine({ started_at, duration_ms, status, tasks }: RunRow): string {
  const took = duration_ms === undefined ? '' : `, ${duration_ms} ms`
  return `${new Date(started_at).toLocaleString()}: ${status}${took}, ${tasks.length} task${tasks.length === 1 ? '' : 's'}`
}

function WholeGraph() {
  const { value: graph, failure } = usePoll(() => readGraph(), EVERY_MS * 5, 'graph')
  return (
    <article>
      <h2>What depends on what</h2>
      {failure !== undefined && <p class="result failed">{failure}</p>}
      {graph && <GraphPicture graph={graph} />}
    </article>
  )
}

function RunDetail({ id, others }: { id: string; others: readonly RunRow[] }) {
  const { value: run, failure } = usePoll(() => readRun(id), EVERY_MS, id)
  if (failure !== undefined) return <p class="result failed">{failure}</p>
  if (run === undefined) return <p class="quiet">Reading …</p>
  return (
    <article>
      <h2>
        <bdi>{run.job ?? run.tasks[0]?.id ?? run.id}</bdi> <span class="tag">{run.status}</span>
      </h2>
      <p class="quiet">
        {run.id}, {new Date(run.started_at).toLocaleString()}
        {run.duration_ms === undefined ? '' : `, ${run.duration_ms} ms`}
      </p>
      <Bars run={run} />
      {run.job !== undefined && <JobGraph run={run} job={run.job} />}
      <Comparison run={run} others={others.filter((other) => other.id !== id)} />
    </article>
  )
}

function JobGraph({ run, job }: { run: Run; job: string }) {
  const { value: graph } = usePoll(() => readGraph(job), EVERY_MS * 5, `graph ${job}`)
  const states = Object.fromEntries(run.tasks.map((task) => [task.id, task.status]))
  return graph ? <GraphPicture graph={graph} states={states} /> : null
}

/** A bar for each task's time, beside those of the others. */
function Bars({ run }: { run: Run }) {
  const begins = (task: TaskRecord) => Date.parse(task.started_at ?? run.started_at) - Date.parse(run.started_at)
  const whole = Math.max(1, ...run.tasks.map((task) => begins(task) + (task.duration_ms ?? 0)))
  const percent = (ms: number) => `${((ms / whole) * 100).toFixed(2)}%`
  return (
    <ul class="bars">
      {run.tasks.map((task) => (
        <li key={task.id}>
          <details>
            <summary>
              <bdi class="name">{task.id}</bdi>
              <span class="track">
                <span
                  class={`bar ${task.status === 'failed' ? 'failed' : ''}`}
                  style={{ '--from': percent(begins(task)), '--width': percent(task.duration_ms ?? 0) }}
                />
              </span>
              <span class="quiet">
                {task.status}
                {task.duration_ms === undefined ? '' : `, ${task.duration_ms} ms`}
                {task.cache && `, cache ${task.cache.decision}`}
              </span>
            </summary>
            <Json value={task} />
          </details>
        </li>
      ))}
    </ul>
  )
}

function Comparison({ run, others }: { run: Run; others: readonly RunRow[] }) {
  const [task, setTask] = useState(run.tasks.at(-1)?.id ?? '')
  const [against, setAgainst] = useState(others[0]?.id ?? '')
  const [answer, setAnswer] = useState<unknown>()
  if (others.length === 0) return null

  async function look(event: Event): Promise<void> {
    event.preventDefault()
    setAnswer(await compare(task, run.id, against).catch((error: unknown) => ({ failure: explain(error) })))
  }

  return (
    <form onSubmit={(event) => void look(event)}>
      <h3>Compare with another run</h3>
      <div class="field">
        <label for="task">Task</label>
        <select id="task" value={task} onChange={(event) => setTask(event.currentTarget.value)}>
          {run.tasks.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="against">Run</label>
        <select id="against" value={against} onChange={(event) => setAgainst(event.currentTarget.value)}>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {toTitle(other)} {toLine(other)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Compare</button>
      {answer !== undefined && <Json value={answer} />}
    </form>
  )
}
