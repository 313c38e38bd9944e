import { findOwner } from '@iii/sdk'
import { type Child, startChild } from './child.ts'
import { bridgeProgram, skillsProgram } from './programs.ts'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

/** Said by a process whose functions another one has: that came later on engine 0.22, earlier on 0.23. */
const STANDS_BY = /this process stands by and serves/
const SERVES_AGAIN = /this process serves (?:again|now)/
/** Everything is back within a second; the rest is for a busy machine. */
const BACK_MS = 5_000

const WORKERS = {
  mcp: { program: bridgeProgram, functionId: 'mcp::handler' },
  skills: { program: skillsProgram, functionId: 'skills::register' },
} as const

/** One process of a worker beside others, with how often it has said what it does. */
export interface Twin {
  readonly child: Child
  readonly stoodBy: number
  readonly servedAgain: number
}

/** The processes of one worker on one engine, of which one serves. */
export interface Twins extends AsyncDisposable {
  /** Starts one more. @returns who serves, and who has said that it stands by, when both is so */
  add(): Promise<{ newer: Child; serving: Child; standing: Twin }>
  /** Kills the one that serves. */
  kill(): Promise<Child>
  /** Resolves when, after the last `kill`, one that stood by serves and has said so. @returns it */
  takesOver(): Promise<Twin>
}

export interface TwinOptions {
  /** Of each process that is started. */
  flags?: readonly string[]
  /** Where they are. */
  namespace?: string
}

/** @param stack runs the first one */
export function createTwins(stack: Stack, name: keyof typeof WORKERS, options: TwinOptions = {}): Twins {
  const { flags = [], namespace } = options
  const { program, functionId } = WORKERS[name]
  const children = [stack.children.get(name)].filter((child) => child !== undefined)
  let beforeKill = new Map<Child, number>()
  const living = () => children.filter(({ running }) => running)

  async function findServing(): Promise<Child | undefined> {
    const ask = (id: string, payload: object) =>
      stack.worker.trigger({ function_id: id, payload: { ...payload, ...(namespace ? { namespace } : {}) } })
    const found = await findOwner(ask, functionId)
    return living().find(({ pid }) => pid === found?.owner?.pid)
  }

  return {
    async add() {
      const before = living().map(toTwin)
      const newer = startChild(program(stack.engineUrl, flags))
      children.push(newer)
      const isSettled = async () => {
        const serving = await findServing()
        const [child, stoodBy] = serving === newer ? [before.at(-1)?.child, before.at(-1)?.stoodBy] : [newer, 0]
        const standing = child && toTwin(child)
        return serving && standing && standing.stoodBy > (stoodBy ?? 0) && { newer, serving, standing }
      }
      return await until(isSettled, { what: `one ${name} to serve and another one to stand by` })
    },
    async kill() {
      const serving = await until(findServing, { what: `one ${name} to serve` })
      beforeKill = new Map(living().map((child) => [child, toTwin(child).servedAgain]))
      serving.signal('SIGKILL')
      await serving.exited
      return serving
    },
    async takesOver() {
      const isBack = async () => {
        const serving = await findServing()
        return serving && toTwin(serving).servedAgain > (beforeKill.get(serving) ?? 0) && serving
      }
      return toTwin(await until(isBack, { what: `another ${name} to serve`, deadlineMs: BACK_MS }))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}

function toTwin(child: Child): Twin {
  const count = (pattern: RegExp) => child.stderr.filter((line) => pattern.test(line)).length
  return { child, stoodBy: count(STANDS_BY), servedAgain: count(SERVES_AGAIN) }
}
