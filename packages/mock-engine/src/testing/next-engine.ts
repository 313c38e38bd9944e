import type { RecordedTrace } from './trace.ts'

/**
 * A trace of engine 0.22.1 as engine 0.23 would show it: rows and what hooks are asked may tell a namespace, texts about what
 * is missing say where it was looked for, and the version is another one. That they do is for the traces of 0.23 to show.
 */
export function toNextEngine(trace: RecordedTrace): RecordedTrace {
  return { ...trace, steps: trace.steps.map((step) => ('send' in step ? step : (rewrite(step) as typeof step))) }
}

/** One of these is in everything that tells a namespace. */
const TELLING = ['worker_name', 'runtime', 'context']

function rewrite(value: unknown): unknown {
  if (typeof value === 'string') return rewriteText(value)
  if (Array.isArray(value)) return value.map(rewrite)
  if (value === null || typeof value !== 'object') return value
  const members = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewrite(item)]))
  return TELLING.some((key) => key in members) ? { ...members, 'namespace?': 'default' } : members
}

function rewriteText(text: string): string {
  return text
    .replace(/(Function .*? not found)/, '$1 in namespace default$any')
    .replace(/^(Trigger type '.*' is not registered)\.$/, "$1 in namespace 'default'.")
    .replace(/^0\.22\.1$/, '0.23.0-rc.4')
}

const FIRST_OWNER = 'the first owner of a function keeps it'

/** The traces that end in another way there even so, each with the reason. */
export const DIFFERENT_ON_23: Readonly<Record<string, string>> = {
  'last-writer-wins-function': FIRST_OWNER,
  'last-writer-wins-in-flight': FIRST_OWNER,
  'last-writer-wins-winner-unregisters': FIRST_OWNER,
  'namespaces-not-known': 'they are known there',
  'observability-functions': 'the list of spans tells of their archive',
  'rbac-filter': 'an unknown id is told from a hidden one',
  'rbac-hook-trigger': 'only what a connection may call may be bound',
  'workers-available': 'a connection that says who it is is an event more',
  'workers-info-shared-id': FIRST_OWNER,
  'workers-in-process': 'there is one more function: that of a page for a console',
}
