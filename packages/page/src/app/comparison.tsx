import { useState } from 'preact/hooks'
import { quoteError } from './away-reason.ts'
import {
  compare,
  type Run,
  type RunRow,
  readRun,
  type TaskRecord,
  toDifferenceWords,
  toEntryLine,
  toEntryTitle,
} from './runs.ts'

/** So many tasks are compared, each by a call of its own. */
const MAX_TASKS = 50

interface ComparedTask {
  readonly id: string
  readonly before: TaskRecord | undefined
  readonly now: TaskRecord | undefined
  readonly words: readonly string[]
}

type Compared = { readonly tasks: readonly ComparedTask[] } | { readonly failure: string }

/** A run beside another one, task by task. */
export function Comparison({ run, others }: { run: Run; others: readonly RunRow[] }) {
  const [chosen, setChosen] = useState('')
  const [compared, setCompared] = useState<Compared>()
  const against = chosen || others[0]?.id
  if (against === undefined) return null

  async function look(event: Event): Promise<void> {
    event.preventDefault()
    if (against === undefined) return
    setCompared(await compareRuns(run, against).catch((error: unknown) => ({ failure: quoteError(error) })))
  }

  return (
    <form onSubmit={(event) => void look(event)} aria-label="Compare with another run">
      <h3>Compare with another run</h3>
      <div class="field">
        <label for="against">Run</label>
        <select id="against" value={against} onChange={(event) => setChosen(event.currentTarget.value)}>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {toEntryTitle(other)} {toEntryLine(other)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Compare</button>
      <div role="status">{compared && <Answer compared={compared} />}</div>
    </form>
  )
}

function Answer({ compared }: { compared: Compared }) {
  if ('failure' in compared) return <p class="result failed">{compared.failure}</p>
  return (
    <table aria-label="what differs">
      <thead>
        <tr>
          <th scope="col">task</th>
          <th scope="col">the other run</th>
          <th scope="col">this run</th>
          <th scope="col">what differs</th>
        </tr>
      </thead>
      <tbody>
        {compared.tasks.map(({ id, before, now, words }) => (
          <tr key={id}>
            <th scope="row">
              <bdi>{id}</bdi>
            </th>
            <td>{toOutcome(before)}</td>
            <td>{toOutcome(now)}</td>
            <td>
              <bdi>{words.join('; ')}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function toOutcome(task: TaskRecord | undefined): string {
  if (task === undefined) return 'not in it'
  return task.duration_ms === undefined ? task.status : `${task.status}, ${task.duration_ms} ms`
}

async function compareRuns(run: Run, against: string): Promise<Compared> {
  const other = await readRun(against)
  const then = new Map(other.tasks.map((task) => [task.id, task]))
  const now = new Map(run.tasks.map((task) => [task.id, task]))
  const ids = [...new Set([...now.keys(), ...then.keys()])].slice(0, MAX_TASKS)
  const tasks = ids.map(async (id) => {
    const both = then.has(id) && now.has(id)
    const words = both
      ? await compare(id, run.id, against).then(toDifferenceWords, (error: unknown) => [quoteError(error)])
      : []
    return { id, before: then.get(id), now: now.get(id), words }
  })
  return { tasks: await Promise.all(tasks) }
}
