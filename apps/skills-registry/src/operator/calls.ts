import { setTimeout as wait } from 'node:timers/promises'
import { Fault, promptsFunctions, toFault } from '@iii/protocol'
import { findOwner, InvocationError, toPublicUrl, type Worker } from '@iii/sdk'
import { CommandFailure, EXIT, READY_WITHIN_MS } from '@iii/sdk/cli'
import type { z } from 'zod'
import { AT_ONCE } from './side-by-side.ts'

/** A function of the registry, as its contract has it. */
export interface Called<T> {
  readonly id: string
  readonly response: z.ZodType<T>
}

/**
 * Calls a function of the registry. What is lost with a connection or a registry that restarts is asked again.
 *
 * @param options with `once` for what would mean something else the second time
 * @throws Fault with what the registry said, or `deadline`.
 * @throws CommandFailure when there is no registry, or one without the function, or no engine, or neither says a word any more.
 */
export type CallRegistry = <T>(called: Called<T>, payload: object, options?: { once?: boolean }) => Promise<T>

const TRIES = 10
const TRY_AGAIN_AFTER_MS = 500
const LOOK_MS = 5000

/**
 * @param deadlineMs of each call
 * @param namespace where the registry is, which may be another one than that of the worker
 */
export function createRegistryCalls(worker: Worker, deadlineMs: number, namespace?: string): CallRegistry {
  const where = toPublicUrl(worker.url)
  /** A registry that was there once may come back; one that never was is missing. */
  let wasThere = false
  let silent = 0

  async function ask(functionId: string, payload: object): Promise<unknown> {
    try {
      const answer = await worker.trigger({ function_id: functionId, payload, namespace, timeoutMs: deadlineMs })
      wasThere = true
      silent = 0
      return answer
    } catch (error) {
      if (toReason(error) === 'answered') {
        wasThere = true
        silent = 0
      }
      throw error
    }
  }

  /** What is done about each before asking again; throws when nothing can be. */
  const remedies: Readonly<Record<Reason, (triesLeft: number, error: unknown, functionId: string) => unknown>> = {
    lost: () => worker.ready({ timeoutMs: READY_WITHIN_MS }).catch(() => giveUp(where)),
    async absent(triesLeft, _error, functionId) {
      const isOlder = await isLacking(worker, functionId, namespace).catch(() => false)
      if (isOlder) refuseOlder(where, functionId)
      if (triesLeft === 0 || !wasThere) refuseAbsence(where)
      await wait(TRY_AGAIN_AFTER_MS)
    },
    stopped: () => wait(TRY_AGAIN_AFTER_MS),
    unable(triesLeft, error) {
      if (triesLeft === 0 || !wasThere) throw unreachable(toFault(error).message)
      return wait(TRY_AGAIN_AFTER_MS)
    },
    silent() {
      silent += 1
      if (silent >= AT_ONCE || worker.state !== 'connected') refuseSilence(where)
    },
    answered: () => undefined,
  }

  async function recover(error: unknown, triesLeft: number, functionId: string): Promise<void> {
    const reason = toReason(error)
    await remedies[reason](triesLeft, error, functionId)
    if (triesLeft === 0 || FINAL.has(reason)) throw toFault(error)
  }

  return async ({ id, response }, payload, { once = false } = {}) => {
    for (let triesLeft = once ? 0 : TRIES; ; triesLeft--) {
      try {
        const checked = response.safeParse(await ask(id, payload))
        if (checked.success) return checked.data
        throw new Fault('internal', `${id} answered in a shape that this version does not know`)
      } catch (error) {
        await recover(error, triesLeft, id)
      }
    }
  }
}

/**
 * - lost: the connection broke while the call was out
 * - absent: nobody offers the function
 * - stopped: the registry left while it worked on the call
 * - unable: the registry is there and cannot work: it is leaving, or has no store
 * - silent: the deadline passed
 */
type Reason = 'lost' | 'absent' | 'stopped' | 'unable' | 'silent' | 'answered'

const REASONS: Readonly<Record<string, Reason>> = {
  connection_lost: 'lost',
  function_not_found: 'absent',
  invocation_stopped: 'stopped',
  timeout: 'silent',
}

/** Asking again would only take as long again. */
const FINAL: ReadonlySet<Reason> = new Set(['answered', 'silent'])

function toReason(error: unknown): Reason {
  const code = error instanceof InvocationError ? error.code.toLowerCase() : ''
  if (REASONS[code] !== undefined) return REASONS[code]
  const fault = toFault(error)
  return fault.code === 'unavailable' && !OF_ONE.test(fault.message) ? 'unable' : 'answered'
}

/** Then the function that a section stands for is missing, or the worker of a skill, and not the registry. Only the text crosses the engine. */
const OF_ONE = /^trigger \S+: | is away with its worker '/

/** Whether there is a registry, and without this function. */
async function isLacking(worker: Pick<Worker, 'trigger'>, functionId: string, namespace?: string): Promise<boolean> {
  const find = (sought: string) =>
    findOwner((id, payload) => worker.trigger({ function_id: id, payload, timeoutMs: LOOK_MS }), sought, namespace)
  // The last that a registry puts on the engine: who has it has put there all that it has.
  return (await find(promptsFunctions.mcpGet.id)) !== undefined && (await find(functionId)) === undefined
}

function refuseAbsence(where: string): never {
  throw unreachable(`there is no skills registry on the engine at ${where}: start one with iii-skills --url ${where}`)
}

function refuseOlder(where: string, functionId: string): never {
  throw unreachable(
    `the skills registry on the engine at ${where} is of an older version, which has no ${functionId}: upgrade it first`,
  )
}

function refuseSilence(where: string): never {
  throw unreachable(`nobody answers at ${where} any more`)
}

function giveUp(where: string): never {
  throw unreachable(`the connection to the engine at ${where} is lost`)
}

function unreachable(message: string): CommandFailure {
  return new CommandFailure(EXIT.unreachable, message)
}
