import type { IIIClient } from 'iii-sdk'

interface Event {
  via: string
  data: unknown
  metadata: unknown
}

const MORE = { note: 'from the binding' }

/** Functions that the engine calls when something happens, and `demo::events`, which tells what they were called with. */
export function bindTriggers(iii: IIIClient): void {
  const events: Event[] = []
  const bind = (type: string, config: object) => {
    const via = type.replace(/\W/g, '_')
    iii.registerFunction(`demo::on_${via}`, async (data, metadata) => {
      events.push({ via, data, metadata: metadata ?? null })
      const failures = Number((data as { failures?: number } | null)?.failures ?? 0)
      if (events.filter((event) => event.via === via).length <= failures) throw new Error('Not yet')
    })
    iii.registerTrigger({ type, function_id: `demo::on_${via}`, config, metadata: MORE })
  }
  bind('state', { scope: 'demo' })
  bind('subscribe', { topic: 'demo.news' })
  bind('durable:subscriber', { topic: 'demo.jobs' })
  bind('log', { level: 'all' })
  iii.registerFunction('demo::events', async () => ({ events }))
}
