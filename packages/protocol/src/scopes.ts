/**
 * The scopes of engine state that our workers keep something in, by worker. Whoever has a setting that names a scope asks
 * {@link checkScope}: two that write to the same one destroy each other's rows.
 */
export const STATE_SCOPES = {
  mcp: {
    sessionKeys: 'mcp-session-keys',
    sessionsEnded: 'mcp-sessions-ended',
    sessionSettings: 'mcp-session-settings',
    changes: 'mcp-changes',
    tasks: 'mcp-tasks',
    taskResults: 'mcp-task-results',
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

/**
 * Says why a setting of a worker may not name a scope: another worker keeps its rows there, or in a scope that is named after it
 * (`skills::index`). Undefined when it may; that two settings of the same worker differ is for that worker to see to.
 *
 * @param worker whose setting it is, by its name in {@link STATE_SCOPES}; any other has no scopes of its own there
 *
 * @example
 * checkScope('team-skills', 'skills') // undefined
 * checkScope('runs', 'skills') // "is 'runs', where the worker 'runs' keeps its own rows; choose another name"
 */
export function checkScope(scope: string, worker: string): string | undefined {
  for (const [owner, scopes] of Object.entries(STATE_SCOPES)) {
    const isTaken = Object.values<string>(scopes).some((taken) => scope === taken || scope.startsWith(`${taken}::`))
    if (isTaken && owner !== worker) {
      return `is '${scope}', where the worker '${owner}' keeps its own rows; choose another name`
    }
  }
  return undefined
}
