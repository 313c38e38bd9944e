/**
 * The scopes of engine state that our workers keep something in, by worker. Whoever has a setting that names a scope asks
 * {@link checkScope}: two that write to the same one destroy each other's rows.
 */
export const STATE_SCOPES = {
  mcp: {
    sessionKeys: 'mcp-session-keys',
    sessionsEnded: 'mcp-sessions-ended',
    sessionSettings: 'mcp-session-settings',
    sessionIndex: 'mcp-session-index',
    changes: 'mcp-changes',
    tasks: 'mcp-tasks',
    taskResults: 'mcp-task-results',
    taskQuestions: 'mcp-task-questions',
  },
  skills: { skills: 'skills', prompts: 'prompts' },
  runs: {
    runs: 'runs',
    index: 'runs-index',
    detail: 'runs-detail',
    calls: 'runs-calls',
    cache: 'runs-cache',
    baselines: 'runs-baselines',
    locks: 'runs-locks',
  },
} as const

/** The namespace of the engine that everything is in that names none. */
export const DEFAULT_NAMESPACE = 'default'

/**
 * Where a worker keeps the rows of a scope: all namespaces share the engine's state, and two workers in two of them must not share rows.
 *
 * @example
 * toScope('mcp-tasks', undefined) // 'mcp-tasks'
 * toScope('mcp-tasks', 'orders') // 'mcp-tasks@orders'
 */
export function toScope(scope: string, namespace: string | undefined): string {
  return namespace === undefined || namespace === DEFAULT_NAMESPACE ? scope : `${scope}@${namespace}`
}

/**
 * Says why a setting of a worker may not name a scope: another worker keeps its rows there, in a scope that is named after it
 * (`skills::index`), or in that of another namespace (`skills@orders`). Undefined when it may; that two settings of the same worker differ is
 * for that worker to see to.
 *
 * @param worker whose setting it is, by its name in {@link STATE_SCOPES}; any other has no scopes of its own there
 *
 * @example
 * checkScope('team-skills', 'skills') // undefined
 * checkScope('runs', 'skills') // "is 'runs', where the worker 'runs' keeps its own rows; choose another name"
 */
export function checkScope(scope: string, worker: string): string | undefined {
  for (const [owner, scopes] of Object.entries(STATE_SCOPES)) {
    const isTaken = Object.values<string>(scopes).some((taken) => isAt(scope, taken))
    if (isTaken && owner !== worker) {
      return `is '${scope}', where the worker '${owner}' keeps its own rows; choose another name`
    }
  }
  return undefined
}

function isAt(scope: string, taken: string): boolean {
  return scope === taken || ['::', '@'].some((mark) => scope.startsWith(`${taken}${mark}`))
}
