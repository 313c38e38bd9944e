import { createSharedState, type MockEngine, startMockEngine } from '@iii/mock-engine'
import { expect, vi } from 'vitest'
import { NOTES, type NoteRow, type NoteStore, openNotes } from './notes.ts'

/** Two registries of notes, on one engine or on two that share their state. */
export interface Fleet extends AsyncDisposable {
  readonly engines: readonly MockEngine[]
  readonly registries: readonly [NoteStore, NoteStore]
  /** Ends one registry and starts another in its place, which knows what is stored. */
  reopen(which: 0 | 1): Promise<void>
  /** The stored notes, without asking an engine. */
  bodies(): NoteRow[]
  /** Notes how the store is now. @returns what puts it back */
  snapshot(): () => void
  /** Empties the store behind everybody's back. */
  wipe(): void
  /** Cuts all connections. */
  restartEngines(): Promise<void>
  /** Resolves when both have noticed that, and are connected again. */
  connected(): Promise<void>
}

export async function startFleet(engineCount: 1 | 2): Promise<Fleet> {
  const sharedState = createSharedState()
  const first = await startMockEngine({ sharedState })
  const engines = engineCount === 1 ? [first] : [first, await startMockEngine({ sharedState })]
  const open = (which: 0 | 1) => openNotes((engines[which] ?? first).url, { name: `registry-${which}` })
  const registries: [NoteStore, NoteStore] = [await open(0), await open(1)]
  // What a registry finds when it begins is no change.
  for (const { keys } of registries) await keys()

  const dead = new Set<string | undefined>([undefined])

  function wipe(): void {
    for (const scope of sharedState.scopes()) {
      for (const [key] of [...sharedState.entries(scope)]) sharedState.delete(scope, key)
    }
  }

  return {
    engines,
    registries,
    async reopen(which) {
      await registries[which][Symbol.asyncDispose]()
      registries[which] = await open(which)
      await vi.waitFor(() => registries[which].keys(), { timeout: 10_000 })
    },
    bodies: () => sharedState.values(NOTES).map((text) => JSON.parse(text) as NoteRow),
    snapshot() {
      const kept = sharedState.scopes().map((scope) => [scope, [...sharedState.entries(scope)]] as const)
      return () => {
        wipe()
        for (const [scope, rows] of kept) for (const [key, value] of rows) sharedState.set(scope, key, value)
      }
    },
    wipe,
    async restartEngines() {
      for (const { worker } of registries) dead.add(worker.workerId)
      await Promise.all(engines.map((engine) => engine.restart()))
    },
    async connected() {
      for (const { worker } of registries) {
        await vi.waitFor(() => expect(dead.has(worker.workerId)).toBe(false), { timeout: 10_000 })
        await worker.ready({ timeoutMs: 10_000 })
      }
    },
    async [Symbol.asyncDispose]() {
      for (const registry of registries) await registry[Symbol.asyncDispose]()
      for (const engine of engines) await engine.close()
    },
  }
}
