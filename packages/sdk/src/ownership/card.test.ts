import { describe, expect, it, vi } from 'vitest'
import { createCards } from './card.ts'

type Listener = (event: { event: string }) => unknown

function stageCards() {
  const listeners: Listener[] = []
  const bindings = new Set<object>()
  const onWorkers = vi.fn()
  const cards = createCards({
    worker: {
      instance: 'me',
      workerId: undefined,
      trigger: async () => undefined,
      registerFunction(_id: string, listener: Listener) {
        listeners.push(listener)
        return { unregister: () => undefined }
      },
      registerTrigger(binding: object) {
        bindings.add(binding)
        return { unregister: () => void bindings.delete(binding) }
      },
    } as unknown as Parameters<typeof createCards>[0]['worker'],
    name: () => 'shop',
    version: undefined,
    namespace: 'default',
    ask: async () => undefined,
    defers: () => false,
    onWorkers,
  })
  /** The engine tells of a worker, where it was asked to. @returns whether it was */
  function tell(event: string): boolean {
    if (bindings.size === 0) return false
    listeners.at(-1)?.({ event })
    return true
  }
  return {
    cards,
    bindings,
    onWorkers,
    tell,
    told: (count: number) => Array.from({ length: count }, () => tell('worker_connected')).filter(Boolean).length,
  }
}

describe('a worker that hears of others', () => {
  it('hears of eight of a crowd, and of the next ones after it has looked', () => {
    const { cards, told, onWorkers } = stageCards()
    cards.show('shop::buy')
    expect(told(300)).toBe(8)
    expect(onWorkers).toHaveBeenCalledTimes(8)
    cards.listen()
    expect(told(300)).toBe(8)
  })

  it('hears of all that come one by one, each looked at', () => {
    const { cards, bindings, told } = stageCards()
    cards.show('shop::buy')
    const [binding] = bindings
    for (let at = 0; at < 300; at += 1) {
      expect(told(1)).toBe(1)
      cards.listen()
    }
    expect([...bindings]).toEqual([binding])
  })

  it('is asked whether it answers as often as anybody likes', () => {
    const { cards, bindings, tell, onWorkers } = stageCards()
    cards.show('shop::buy')
    for (let at = 0; at < 300; at += 1) tell('probe')
    expect(bindings.size).toBe(1)
    expect(onWorkers).not.toHaveBeenCalled()
  })

  it('hears of nobody without a connection', () => {
    const { cards, bindings } = stageCards()
    cards.show('shop::buy')
    cards.forget()
    cards.listen()
    expect(bindings.size).toBe(0)
  })
})
