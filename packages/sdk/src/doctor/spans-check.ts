import { z } from 'zod'
import { type Check, ok, skipped, warning } from './check.ts'
import type { DoctorContext } from './context.ts'

const Stored = z.object({
  value: z.object({ trace_storage: z.object({ enabled: z.boolean(), directory: z.string().optional() }).optional() }),
})

/** Does the engine keep on disk what functions were called with? */
export const spansCheck: Check<Pick<DoctorContext, 'ask'>> = {
  name: 'spans',
  async run({ ask }) {
    const answer = await ask('configuration::get', { id: 'iii-observability' }).catch(() => undefined)
    if (answer === undefined) return skipped('the engine does not say how it keeps spans')
    const { trace_storage: storage } = Stored.safeParse(answer).data?.value ?? {}
    if (storage?.enabled !== true) return ok('the engine keeps no spans on disk')
    return warning(
      `the engine keeps spans on disk, in ${storage.directory ?? 'a folder of its own'}: they can hold what functions were called with`,
      'set trace_storage: { enabled: false } for iii-observability where that should not be',
    )
  },
}
