import { createLog } from '@iii/sdk'
import { expect, it } from 'vitest'
import { createWorkerLeases, type LeasesOptions } from './leases.ts'

const NOW = 1_000_000
const LEASE_MS = 30_000

it('whoever asks before a registry knows that it serves is told who has left, too', async () => {
  const ends: (() => unknown)[] = []
  const worker = {
    state: 'connected',
    ownership: { state: 'starting' },
    trigger: async ({ function_id: id }: { function_id: string }) =>
      id === 'state::list' ? [{ name: 'orders', at: NOW - LEASE_MS - 1 }] : {},
    onStateChange: () => () => undefined,
    onOwnershipChange: () => () => undefined,
    onShutdown: (end: () => unknown) => void ends.push(end),
  } as unknown as LeasesOptions['worker']
  const leases = createWorkerLeases({
    worker,
    owners: { present: async () => new Set<string>() } as unknown as LeasesOptions['owners'],
    scope: () => 'skills::leases',
    leaseMs: () => LEASE_MS,
    timeoutMs: () => 1_000,
    log: createLog({ name: 'test', level: 'silent' }),
    now: () => NOW,
  })
  leases.watch(
    async () => new Set(['orders']),
    () => undefined,
  )
  expect([...(await leases.away())]).toEqual(['orders'])
  for (const end of ends) end()
})
