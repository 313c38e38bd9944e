import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createUseOrder } from './use-order.ts'

interface Entry {
  readonly nth: number
  worth: 0 | 1 | 2
  isBusy: boolean
}

/** What every one of them has to be looked at for. */
function findPlainly(entries: readonly Entry[]): Entry | undefined {
  const free = entries.filter(({ isBusy }) => !isBusy)
  return [0, 1, 2].flatMap((worth) => free.filter((entry) => entry.worth === worth))[0]
}

type Step = (entry: Entry, use: (entry: Entry) => void) => void

const STEPS: Readonly<Record<string, Step>> = {
  use: (entry, use) => use(entry),
  grow(entry) {
    entry.worth = entry.worth === 0 ? 1 : 2
  },
  shrink(entry, use) {
    entry.worth = entry.worth === 2 ? 1 : entry.worth
    use(entry)
  },
  occupy(entry) {
    entry.isBusy = true
  },
  free(entry) {
    entry.isBusy = false
  },
}

/** An order beside a plain list of the same. */
function startBoth() {
  const order = createUseOrder<Entry>(({ worth }) => worth)
  let entries: Entry[] = []
  const use = (entry: Entry) => {
    entries = [...entries.filter((other) => other !== entry), entry]
    order.used(entry)
  }
  const remove = (entry: Entry) => {
    entries = entries.filter((other) => other !== entry)
    order.remove(entry)
  }
  return {
    take(what: string, at: number, nth: number) {
      const entry = entries[at % Math.max(1, entries.length)]
      if (what === 'add' || entry === undefined) use({ nth, worth: 0, isBusy: false })
      else if (what === 'remove') remove(entry)
      else STEPS[what]?.(entry, use)
    },
    found: () => [order.findLeast(({ isBusy }) => !isBusy)?.nth, findPlainly(entries)?.nth],
  }
}

it('finds what is worth least, and of that what was unused for longest, however worth has grown', () => {
  const step = fc.tuple(fc.constantFrom('add', 'remove', ...Object.keys(STEPS)), fc.nat())
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const both = startBoth()
      for (const [nth, [what, at]] of steps.entries()) {
        both.take(what, at, nth)
        const [found, plain] = both.found()
        expect(found).toBe(plain)
      }
    }),
  )
})

it.each([0, 1, 2] as const)('looks at few of thousands that are worth %i, each time that one makes room', (worth) => {
  let looks = 0
  const order = createUseOrder<Entry>((entry) => {
    looks += 1
    return entry.worth
  })
  const add = (nth: number) => {
    const entry: Entry = { nth, worth: 0, isBusy: false }
    order.used(entry)
    return entry
  }
  for (let nth = 0; nth < 5_000; nth += 1) add(nth).worth = worth
  looks = 0
  for (let nth = 0; nth < 1_000; nth += 1) {
    const newest = add(5_000 + nth)
    const least = order.findLeast((entry) => entry !== newest)
    expect(least?.nth).toBe(nth)
    if (least !== undefined) order.remove(least)
    newest.worth = worth
  }
  // The first look goes over all whose worth has grown, and each of the others over a few.
  expect(looks).toBeLessThan(20_000)
})
