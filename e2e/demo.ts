import { expect } from 'vitest'
import { type Child, type ChildOptions, isAlive, startChild } from './child.ts'
import { until } from './until.ts'

/** `start` as people run it, for the scenarios about it. */

export const FREE_PORTS = ['--http-port', '0', '--engine-port', '0']

/** A `start` that is ready, with the processes that it runs. */
export interface Demo extends AsyncDisposable {
  readonly child: Child
  readonly mcpUrl: string
  readonly pids: readonly number[]
}

export function startProgram(args: readonly string[]): ChildOptions {
  return { name: 'start', entry: new URL('./start/main.ts', import.meta.url), args }
}

export async function startDemo(args: readonly string[], how: Pick<ChildOptions, 'fromSource'> = {}): Promise<Demo> {
  const child = startChild({ ...startProgram(args), ...how })
  const [, mcpUrl = ''] = await child.line(/^Ready: (http:\S+)$/, 60_000).catch(async (error: Error) => {
    await child.stop()
    throw error
  })
  const pids = [...child.stdout.join('\n').matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid))
  return {
    child,
    mcpUrl,
    pids,
    async [Symbol.asyncDispose]() {
      await child.stop(10_000)
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
    },
  }
}

export async function expectAllGone({ pids, mcpUrl }: Demo): Promise<void> {
  await until(() => pids.every((pid) => !isAlive(pid)), { what: `${pids} to be gone`, deadlineMs: 15_000 })
  await expect(fetch(mcpUrl)).rejects.toThrow()
}
