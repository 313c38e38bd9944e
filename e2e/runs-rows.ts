import { STATE_SCOPES, toScope } from '@iii/protocol'
import type { Worker } from '@iii/sdk'

/** The rows of the worker `runs` of a namespace, on an engine that is given back: few of them tell their keys, so they are followed from one to the other. */
export async function clearRuns(control: Worker, namespace: string | undefined): Promise<void> {
  const { index, runs, detail, calls, cache, baselines, locks } = Object.fromEntries(
    Object.entries(STATE_SCOPES.runs).map(([name, scope]) => [name, toScope(scope, namespace)]),
  ) as Record<keyof typeof STATE_SCOPES.runs, string>
  const list = (scope: string) => control.trigger<unknown[]>({ function_id: 'state::list', payload: { scope } })
  const remove = (scope: string, keys: readonly string[]) =>
    Promise.all(keys.map((key) => control.trigger({ function_id: 'state::delete', payload: { scope, key } })))

  const rows = (await list(runs)) as { id: string; job: string; lock: { name: string }; task_count: number }[]
  const details = (await list(detail)) as { task: { cache: { key?: string } } }[]
  await remove(
    cache,
    details.flatMap(({ task }) => task.cache.key ?? []),
  )
  await remove(
    detail,
    rows.flatMap(({ id, task_count }) => numbered(`${id}/`, task_count)),
  )
  await remove(
    baselines,
    rows.map(({ job }) => job),
  )
  await remove(locks, ['default', ...rows.map(({ lock }) => lock.name), ...LOCKS])
  await remove(
    runs,
    rows.map(({ id }) => id),
  )
  await remove(calls, numbered('calls-', MAX_ROWS))
  await remove(index, ['runs', 'calls', 'store', ...numbered('runs-', MAX_ROWS)])
}

const MAX_ROWS = 100
/** Those that scenarios want by themselves. */
const LOCKS = ['e2e-many', 'inside-e2e-many', 'e2e-dead', 'e2e-frozen']

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) => `${prefix}${number}`)
}
