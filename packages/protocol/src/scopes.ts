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
 * Says why a setting may not name a scope; undefined when it may. A worker's index lies in a scope named after its own (`skills::index`),
 * so those are taken too.
 *
 * @param usual the setting's own default, which it may name
 *
 * @example
 * checkScope('team-skills', 'skills') // undefined
 * checkScope('runs', 'skills') // "is 'runs', where the worker 'runs' keeps its own rows; choose another name"
 */
export function checkScope(scope: string, usual: string): string | undefined {
  if (scope === usual) return undefined
  for (const [worker, scopes] of Object.entries(STATE_SCOPES)) {
    for (const taken of Object.values<string>(scopes)) {
      if (taken !== usual && (scope === taken || scope.startsWith(`${taken}::`))) {
        return `is '${scope}', where the worker '${worker}' keeps its own rows; choose another name`
      }
    }
  }
  return undefined
}
