import type { RunJobResponse } from '../contracts/run-job.ts'
import type { Payload } from '../record/payload.ts'
import type { RunRecord, TaskRecord } from '../record/run-record.ts'
import { createRoom, isFitting, sizeOf, toExcess } from './result-limit.ts'

/** What `run_job` answers, and what the command prints of a run: without the largest values of a record that is too large to be sent. */
export function toRunAnswer(record: RunRecord, maxBytes: number): RunJobResponse {
  const excess = toExcess(record, maxBytes)
  if (excess <= 0) return record
  const { record: short, leftOut } = leaveOutValues(record, excess)
  const answer = { ...short, ...toLeftOut(leftOut) }
  if (isFitting(answer, maxBytes)) return answer
  const tasks = keepTasks(short, maxBytes - sizeOf({ ...short, tasks: [], left_out: Number.MAX_SAFE_INTEGER }))
  return { ...answer, tasks, left_out: leftOut + record.tasks.length - tasks.length }
}

/** As many tasks as there is room for, in their order: those that did not pass before the others. */
export function keepTasks({ tasks }: RunRecord, bytes: number): TaskRecord[] {
  const room = createRoom(bytes)
  const isBad = ({ status }: TaskRecord) => status === 'failed' || status === 'unknown'
  const inTurn = [...tasks.filter(isBad), ...tasks.filter((task) => !isBad(task))]
  const kept = new Set(inTurn.filter((task) => room.take(task)))
  return tasks.filter((task) => kept.has(task))
}

/**
 * Leaves the largest values out of a record, as many as it takes to spare so much; their digests and sizes stay. Each is measured once:
 * writing a large record again for each of them takes longer than the run may have.
 */
export function leaveOutValues(record: RunRecord, excess: number): { record: RunRecord; leftOut: number } {
  const payloads = [record.input, ...record.tasks.flatMap(({ input, output }) => [input, output])]
  const bySize = payloads
    .filter((payload) => payload !== undefined)
    .map((payload) => ({ payload, spared: toSpared(payload) }))
    .sort((a, b) => b.spared - a.spared)
  const doomed = new Set<Payload>()
  let left = excess
  for (const { payload, spared } of bySize) {
    if (left <= 0 || spared <= 0) break
    doomed.add(payload)
    left -= spared
  }
  const shorten = (payload: Payload) => (doomed.has(payload) ? withoutValue(payload) : payload)
  const tasks = record.tasks.map((task) => ({
    ...task,
    ...(task.input && { input: shorten(task.input) }),
    ...(task.output && { output: shorten(task.output) }),
  }))
  return { record: { ...record, input: shorten(record.input), tasks }, leftOut: doomed.size }
}

export function toLeftOut(count: number): { left_out?: number } {
  return count === 0 ? {} : { left_out: count }
}

function toSpared(payload: Payload): number {
  return payload.value === undefined ? 0 : sizeOf(payload) - sizeOf(withoutValue(payload))
}

function withoutValue({ value: _value, ...rest }: Payload): Payload {
  return { ...rest, omitted: 'too_large' }
}
