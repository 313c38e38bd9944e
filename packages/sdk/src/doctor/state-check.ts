import { toFault } from '@iii/protocol'
import { z } from 'zod'
import { InvocationError } from '../engine/invocation-error.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'
import type { DoctorContext } from './context.ts'

export interface StateCheckOptions {
  /** A scope of the worker's own; nothing is left behind in it. */
  readonly scope: string
  /** What the worker loses without state, or when it is gone: a clause without a full stop. */
  readonly without: string
  /** What is lost when the engine stops and state was in memory. */
  readonly afterRestart: string
  /** Is what the worker keeps there meant to outlive the engine? */
  readonly isLasting: boolean
}

/** Does the engine keep anything, and for how long, as far as its settings say? Read only. */
export function createStateCheck(options: StateCheckOptions): Check<DoctorContext> {
  return {
    name: 'state',
    async run({ ask }) {
      const { scope, without } = options
      try {
        await ask('state::get', { scope, key: 'doctor' })
      } catch (error) {
        if (!isMissing(error)) return problem(`the engine's state does not answer: ${toFault(error).message}`)
        const advice = 'add the worker iii-state to the configuration of the engine'
        return warning(`the engine has no state: ${without}`, advice)
      }
      const settings = await ask('configuration::get', { id: 'iii-state' }).catch(() => undefined)
      return judge(StateSettings.safeParse(settings).data?.value, options)
    },
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof InvocationError && error.code === 'function_not_found'
}

const StateSettings = z.object({
  value: z.object({
    adapter: z.object({
      name: z.string(),
      config: z.object({ store_method: z.string().optional(), save_interval_ms: z.number().optional() }).nullish(),
    }),
    save_interval_ms: z.number().optional(),
  }),
})

const SAVED_EVERY_MS = 5_000
const KEEP = 'set store_method: file_based and a file_path, or a Redis, for iii-state in the settings of the engine'

type Settings = z.infer<typeof StateSettings>['value']

function judge(settings: Settings | undefined, { afterRestart, isLasting }: StateCheckOptions): Finding {
  const answers = "the engine's state answers"
  if (settings === undefined) return ok(`${answers}; whether it outlives the engine, the engine does not say`)
  const { name, config } = settings.adapter
  if (name !== 'kv') return ok(`${answers}; it is kept by the adapter ${name}`)
  if (config?.store_method === 'file_based') {
    const everyMs = settings.save_interval_ms ?? config.save_interval_ms ?? SAVED_EVERY_MS
    return ok(`${answers}; it is written to files every ${everyMs / 1000} s, and what came later is lost in a crash`)
  }
  const text = `${answers}, and is kept in memory: ${afterRestart}`
  return isLasting ? warning(text, KEEP) : ok(text)
}
