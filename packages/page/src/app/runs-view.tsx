import { useRef } from 'preact/hooks'
import { Comparison } from './comparison.tsx'
import { Json } from './content.tsx'
import { Fold } from './fold.tsx'
import { GraphPicture } from './graph.tsx'
import { Split } from './list.tsx'
import { usePoll } from './poll.ts'
import {
  type CallRow,
  listRuns,
  type Run,
  type RunsEntry,
  readGraph,
  readRun,
  type TaskRecord,
  toEntryKey,
  toEntryLine,
  toEntryTitle,
  toShownTime,
} from './runs.ts'

const EVERY_MS = 2_000

export function RunsView({ what }: { what: string }) {
  const { value, failure } = usePoll(listRuns, EVERY_MS, 'runs')
  // The run that was chosen is read by itself, also where the list cannot be had.
  const entries = value ?? (failure === undefined ? undefined : [])
  const rows = (entries ?? []).map((entry) => ({
    key: toEntryKey(entry),
    title: toEntryTitle(entry),
    about: toEntryLine(entry),
  }))
  return (
    <Split view="runs" rows={rows} chosen={what} noun="runs" failure={failure}>
      {what === '' ? <WholeGraph /> : <EntryDetail key={what} what={what} entries={entries} />}
    </Split>
  )
}

function EntryDetail({ what, entries }: { what: string; entries: readonly RunsEntry[] | undefined }) {
  const listed = entries?.find((each) => toEntryKey(each) === what)
  // One that is shown stays so when others have taken its place in the list.
  const shown = useRef(listed)
  shown.current = listed ?? shown.current
  const entry = shown.current
  if (entries === undefined) return <p class="quiet">Reading …</p>
  if (entry?.kind === 'gap')
    return (
      <p class="quiet">
        {toEntryTitle(entry)}, heard of at {toShownTime(entry.at)}.
      </p>
    )
  if (entry?.kind === 'call') return <CallDetail call={entry} />
  return <RunDetail id={what} others={entries} />
}

/** All that is kept of a call stands in its row. */
function CallDetail({ call }: { call: CallRow }) {
  return (
    <article>
      <h2>
        <bdi>{call.tool}</bdi> <span class="tag">{call.outcome}</span>
      </h2>
      <p class="quiet">{toEntryLine(call)}</p>
      <Json value={call} />
    </article>
  )
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

function RunDetail({ id, others }: { id: string; others: readonly RunsEntry[] }) {
  const { value: run, failure } = usePoll(() => readRun(id), EVERY_MS, id)
  const trouble = failure === undefined ? null : <p class="result failed">{failure}</p>
  if (run === undefined) return trouble ?? <p class="quiet">Reading …</p>
  return (
    <article>
      {trouble}
      <h2>
        <bdi>{run.job}</bdi> <span class="tag">{run.status}</span>
      </h2>
      <p class="quiet">
        {run.id}, {toShownTime(run.started_at)}
        {run.duration_ms === undefined ? '' : `, ${run.duration_ms} ms`}
      </p>
      {run.left_out ? <p class="quiet">Too large to be shown: {run.left_out} of its tasks and values.</p> : null}
      <Bars run={run} />
      <JobGraph run={run} job={run.job} />
      <Comparison
        run={run}
        others={others.filter((other) => other.kind === 'run').filter((other) => other.id !== id)}
      />
    </article>
  )
}

function JobGraph({ run, job }: { run: Run; job: string }) {
  const { value: graph } = usePoll(() => readGraph(job), EVERY_MS * 5, `graph ${job}`)
  const states = new Map(run.tasks.map((task) => [task.id, task.status]))
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
          <Fold
            summary={
              <>
                <bdi class="name">{task.id}</bdi>
                <span class="track">
                  <span
                    class={task.status === 'failed' ? 'bar failed' : 'bar'}
                    style={{ '--from': percent(begins(task)), '--width': percent(task.duration_ms ?? 0) }}
                  />
                </span>
                <span class="quiet">
                  {task.status}
                  {task.duration_ms === undefined ? '' : `, ${task.duration_ms} ms`}
                  {task.cache && `, cache ${task.cache.decision}`}
                </span>
              </>
            }
          >
            {() => <Json value={task} />}
          </Fold>
        </li>
      ))}
    </ul>
  )
}
