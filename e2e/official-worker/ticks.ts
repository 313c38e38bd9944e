import type { IIIClient } from 'iii-sdk'

interface Binding {
  function_id: string
  metadata: Record<string, unknown> | undefined
}

/** A trigger type of this worker: `demo::tick` fires everything that is bound to it. */
export function offerTicks(iii: IIIClient): void {
  const bound = new Map<string, Binding>()

  iii.registerTriggerType<{ every: number }>(
    { id: 'demo-tick', description: 'Fires when the demo ticks' },
    {
      async registerTrigger({ id, function_id, config, metadata }) {
        if (config.every < 1) throw new Error('every must be 1 or more')
        bound.set(id, { function_id, metadata })
      },
      async unregisterTrigger({ id }) {
        bound.delete(id)
      },
    },
  )

  iii.registerFunction('demo::bound', async () => ({
    functions: [...bound.values()].map((binding) => binding.function_id),
  }))

  iii.registerFunction('demo::tick', async ({ n }: { n: number }) => {
    await Promise.all(
      [...bound.values()].map(({ function_id, metadata }) => iii.trigger({ function_id, payload: { n }, metadata })),
    )
    return { fired: bound.size }
  })
}
