import { findOwner } from '@iii/sdk'
import { type Cable, startCable } from './cable.ts'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

/** One of two processes of a worker. */
export interface Player {
  readonly child: Child
  /** The way to the engine that it is on. */
  readonly cable: Cable
}

/** Two processes of a worker: one serves, the other stands by, whichever the engine prefers. */
export interface Pair extends AsyncDisposable {
  readonly owner: Player
  readonly standby: Player
}

const STANDS_BY = /this process (?:stands by and serves|takes nothing from it)/

/** Starts both, each on a way of its own; resolves when one serves and the other has said that it stands by. */
export async function startPair(
  stack: Stack,
  functionId: string,
  program: (engineUrl: string) => ChildOptions,
): Promise<Pair> {
  const cleanup = createCleanup()
  const ask = (id: string, payload: object) => stack.worker.trigger({ function_id: id, payload })
  const findServing = async () => (await findOwner(ask, functionId))?.owner?.pid
  try {
    const first = await startPlayer(cleanup, stack, program)
    await until(async () => (await findServing()) === first.child.pid, { what: `the first ${functionId}` })
    const second = await startPlayer(cleanup, stack, program)
    await until(() => [first, second].find(({ child }) => child.stderr.some((line) => STANDS_BY.test(line))), {
      what: `one of two with ${functionId} to stand by`,
    })
    const owner = (await findServing()) === first.child.pid ? first : second
    return { owner, standby: owner === first ? second : first, [Symbol.asyncDispose]: cleanup.run }
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

async function startPlayer(
  { use }: Cleanup,
  stack: Stack,
  program: (engineUrl: string) => ChildOptions,
): Promise<Player> {
  const cable = use(await startCable(stack.engineUrl))
  const child = startChild(program(cable.url))
  use({
    async [Symbol.asyncDispose]() {
      // One that was stopped by a signal hears no other one.
      child.signal('SIGCONT')
      await child.stop()
    },
  })
  return { child, cable }
}
