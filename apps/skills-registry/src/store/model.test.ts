import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type Fleet, startFleet } from '../testing/fleet.ts'
import { NOTES, type NoteStore, note } from '../testing/notes.ts'

/** What must be true of one note in the end; `undefined` where nothing is promised. */
interface Expected {
  isThere: boolean | undefined
  /** What it says; undefined when one of several, or when it may have gone down with the store. */
  text: string | undefined
  /** The registry that surely has its body at hand. */
  holder: NoteStore | undefined
  /** Whether no registry wrote it: a store that crashes takes that with it. */
  isOutside?: boolean
}

interface Model {
  notes: Map<string, Expected>
  /** Those who have to hear of a note, and how many changes they had heard of before. */
  owed: { registry: NoteStore; id: string; from: number }[]
  snapshot: { notes: Map<string, Expected>; restore: () => void } | undefined
}

type Which = 0 | 1

/** Does something to the fleet, and says what has to be true then. */
type Step = (fleet: Fleet, model: Model) => Promise<void>

/** Tries until it is acknowledged: connections end under it. @returns what came of it, and whether it was tried once */
async function persist<T>(work: () => Promise<T>): Promise<{ result: T; atOnce: boolean }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { result: await work(), atOnce: tries === 1 }
    } catch (error) {
      if (tries === 20) throw error
    }
  }
}

const SOON = { timeout: 10_000, interval: 10 }

/** After a loss a registry may be behind for a moment. */
async function soon(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, SOON)
}

function owe({ registries }: Fleet, model: Model, id: string): void {
  for (const registry of registries) model.owed.push({ registry, id, from: registry.changes.length })
}

const register =
  (which: Which, id: string, text: string): Step =>
  async (fleet, model) => {
    const registry = fleet.registries[which]
    owe(fleet, model, id)
    await persist(() => registry.store.write(note(id, text), 'ada'))
    model.notes.set(id, { isThere: true, text, holder: registry })
    for (const { keys } of fleet.registries) await soon(async () => expect(await keys()).toContain(id))
  }

const remove =
  (which: Which, id: string): Step =>
  async (fleet, model) => {
    const isThere = model.notes.get(id)?.isThere
    if (isThere === true) owe(fleet, model, id)
    const { result, atOnce } = await persist(() => fleet.registries[which].store.remove(id))
    if (isThere !== undefined && atOnce) expect([id, result]).toEqual([id, isThere])
    model.notes.set(id, { isThere: false, text: undefined, holder: undefined })
    for (const { keys } of fleet.registries) await soon(async () => expect(await keys()).not.toContain(id))
  }

/** Both at once: one of them comes last. */
const both =
  (id: string, one: string | undefined, other: string | undefined): Step =>
  async (fleet, model) => {
    owe(fleet, model, id)
    const act = ({ store }: NoteStore, text: string | undefined) =>
      persist<unknown>(() => (text === undefined ? store.remove(id) : store.write(note(id, text))))
    await Promise.all([act(fleet.registries[0], one), act(fleet.registries[1], other)])
    const [first, second] = fleet.registries.map(
      ({ store }) =>
        () =>
          store.peek(id)?.entry.registered_at,
    )
    await soon(async () => expect(first?.()).toBe(second?.()))
    const isThere = one !== undefined && other !== undefined ? true : undefined
    if (isThere === undefined) model.owed = model.owed.filter((debt) => debt.id !== id)
    model.notes.set(id, { isThere, text: undefined, holder: undefined })
  }

const behind =
  (which: Which, id: string, text: string | undefined): Step =>
  async (fleet, model) => {
    const engine = fleet.engines[which] ?? fleet.engines[0]
    // Of what is done while a registry is cut off it hears nothing, and what is removed from an emptied store was lost before.
    await fleet.connected()
    for (const { keys } of fleet.registries) await soon(async () => void (await keys()))
    const place = { scope: NOTES, key: id }
    if (text === undefined) await engine?.call('state::delete', place)
    else await engine?.call('state::set', { ...place, value: note(id, text) })
    // What was lost before cannot be removed behind anybody's back: it stays listed as lost.
    const bytes = ({ store }: NoteStore) => (store.peek(id)?.lost ? undefined : store.peek(id)?.entry.bytes)
    await soon(async () => {
      for (const registry of fleet.registries) expect(bytes(registry)).toBe(text?.length)
    })
    const isThere = fleet.registries.some(({ store }) => store.peek(id)?.lost) ? undefined : text !== undefined
    model.notes.set(id, { isThere, text, holder: undefined, isOutside: true })
  }

const restart =
  (which: Which): Step =>
  async (fleet, model) => {
    const gone = fleet.registries[which]
    // One that is ended before it has looked can give nothing back.
    await fleet.connected()
    await soon(async () => void (await gone.keys()))
    await fleet.reopen(which)
    model.owed = model.owed.filter(({ registry }) => registry !== gone)
    for (const expected of model.notes.values()) if (expected.holder === gone) expected.holder = undefined
  }

const lose: Step = async (fleet, model) => {
  fleet.wipe()
  await fleet.restartEngines()
  for (const expected of model.notes.values()) if (expected.holder === undefined) expected.text = undefined
  model.snapshot = undefined
}

const empty: Step = async (fleet, model) => {
  fleet.wipe()
  for (const expected of model.notes.values()) if (expected.holder === undefined) expected.text = undefined
  model.snapshot = undefined
}

const cut: Step = (fleet) => fleet.restartEngines()

const remember: Step = async (fleet, model) => {
  const notes = new Map([...model.notes].map(([id, expected]) => [id, { ...expected }]))
  model.snapshot = { notes, restore: fleet.snapshot() }
}

/** Something bad happens while something is done: what was acknowledged holds all the same. */
const amid =
  (bad: Step, step: Step): Step =>
  async (fleet, model) => {
    await Promise.all([bad(fleet, model), step(fleet, model)])
  }

/** The engine crashes, and what it had not written yet is forgotten. */
const crash: Step = async (fleet, model) => {
  model.snapshot?.restore()
  await fleet.restartEngines()
  for (const [id, expected] of model.notes) {
    if (model.snapshot === undefined || expected.holder) continue
    const before = model.snapshot.notes.get(id)
    if (before?.text !== expected.text) expected.text = undefined
    if (expected.isOutside || before?.isThere !== expected.isThere) expected.isThere = undefined
  }
}

/** What the store and both registries have to agree on when nothing happens any more. */
async function expectPeace(fleet: Fleet, { notes, owed }: Model): Promise<void> {
  const bodies = new Map(fleet.bodies().map((body) => [body.id, body]))
  for (const { store } of fleet.registries) {
    const listed = await store.list()
    const alive = listed.filter(({ lost }) => !lost)
    expect(new Map(alive.map(({ key, entry }) => [key, entry.registered_at]))).toEqual(
      new Map([...bodies.values()].map(({ id, registered_at }) => [id, registered_at])),
    )
    for (const [id, { isThere, text }] of notes) {
      const item = listed.find(({ key }) => key === id)
      if (isThere !== undefined) expect([id, item !== undefined]).toEqual([id, isThere])
      if (isThere === true && text !== undefined) expect([id, bodies.get(id)?.text]).toEqual([id, text])
    }
  }
  for (const { registry, id, from } of owed) {
    expect([id, 'told', registry.changes.slice(from).some(({ key }) => key === id)]).toEqual([id, 'told', true])
  }
}

const which = fc.constantFrom<Which>(0, 1)
const id = fc.constantFrom('a', 'b', 'c')
const text = fc.constantFrom('x', 'yy', 'zzz')
const maybeText = fc.option(text, { nil: undefined })

/** A step that says what it does when it is part of a failure. */
function named(name: string, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => name })
}

const registered = fc.tuple(which, id, text).map((args) => named(`register ${args}`, register(...args)))
const removed = fc.tuple(which, id).map((args) => named(`remove ${args}`, remove(...args)))
const bad = fc.constantFrom(named('lose', lose), named('empty', empty), named('cut', cut))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(bad, fc.oneof(registered, removed))
      .map(([a, b]) => named(`${fc.stringify(a)} amid ${fc.stringify(b)}`, amid(a, b))),
  },
  { weight: 6, arbitrary: fc.tuple(which, id, text).map((args) => named(`register ${args}`, register(...args))) },
  { weight: 3, arbitrary: fc.tuple(which, id).map((args) => named(`remove ${args}`, remove(...args))) },
  { weight: 2, arbitrary: fc.tuple(id, maybeText, maybeText).map((args) => named(`both ${args}`, both(...args))) },
  { weight: 1, arbitrary: fc.tuple(which, id, maybeText).map((args) => named(`behind ${args}`, behind(...args))) },
  { weight: 1, arbitrary: which.map((at) => named(`restart ${at}`, restart(at))) },
  { weight: 1, arbitrary: fc.constantFrom(named('lose', lose), named('empty', empty), named('cut', cut)) },
  { weight: 1, arbitrary: fc.constantFrom(named('remember', remember), named('crash', crash)) },
)

describe('two registries, whatever happens to them and to the store', () => {
  it.each([
    ['on one engine', 1],
    ['on two engines that share a store', 2],
  ] as const)('%s end with the same records, those that are stored', { timeout: 300_000 }, async (_, engines) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        await using fleet = await startFleet(engines)
        const model: Model = { notes: new Map(), owed: [], snapshot: undefined }
        for (const run of steps) await run(fleet, model)
        await vi.waitFor(() => expectPeace(fleet, model), SOON)
      }),
      { numRuns: 12, endOnFailure: true, seed: 7 },
    )
  })
})
