import { describe, expect, it, vi } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createHoldings } from './holdings.ts'
import type { Holder } from './look.ts'
import type { Owner } from './ownership.ts'
import { createRounds } from './rounds.ts'
import { createStanding } from './standing.ts'

const IDS = ['shop::b', 'shop::a', 'shop::c', 'shop::us::own']
const twin: Holder = { instance: 'theirs', workerName: 'shop' }
const TWIN: Owner = { name: 'shop', workerId: 'w-2', instance: 'theirs' }

/** A worker whose instance is `us`, on an engine that answers as `held` says and lets `react` act on what it is told. */
function stageRounds(held: Record<string, Holder>, react: (repeated: string[]) => void = () => undefined) {
  const said: string[] = []
  const looks: number[] = []
  const log = createRecordedLog()
  const owners = {
    twins: [] as Owner[],
    defers: false,
    decided: 0,
    freeRoutes: ['route'],
    untold: [] as string[],
    refused: [] as string[],
    ids: IDS,
  }
  const isRefused = (id: string) => owners.refused.includes(id)
  const defers = () => owners.defers
  const holdings = createHoldings({ isRefused })
  const standing = createStanding({ log, listenersMs: 1_000, defers, isRefused, readCard: async () => TWIN })
  const rounds = createRounds({
    instance: 'us',
    registrations: {
      functionIds: () => owners.ids,
      untoldIds: () => owners.untold,
      sharedIds: () => ['all::share'],
      functionCount: () => owners.ids.length + 1,
      isRefused,
      giveUp: (ids) => void said.push(`gives up ${ids.join(' ')}`),
      routes: () => [{ id: 'route', functionId: 'shop::a', method: 'GET', path: '/a' }],
      repeatFunctions(ids) {
        const repeated = [...ids]
        if (repeated.length > 0) said.push(repeated.join(' '))
        react(repeated)
      },
      repeatTypes: () => void said.push('types'),
      repeatRoutes: (ids) => void said.push([...ids].join(' ')),
    },
    look: async (ids) => new Map(ids.map((id) => [id, held[id] ?? 'us'])),
    holdings,
    cards: {
      show: (lead) => void said.push(`card ${lead}`),
      forget: () => void said.push('no card'),
      listen: () => undefined,
      probe: async () => ({}),
      read: async () => TWIN,
      findTwins: async () => owners.twins,
    },
    standing,
    routes: {
      check: async () => void said.push('check'),
      free: async () => owners.freeRoutes.map((id) => ({ id, functionId: 'shop::a', method: 'GET', path: '/a' })),
      reset: () => undefined,
    },
    takeNameBack: async () => false,
    decision: { begin: () => () => void owners.decided++, giveUp: () => undefined },
    isSilent: () => false,
    defers,
    deferMs: 50,
    log,
    claimMs: 1,
    afterArrivalMs: 1,
    lookAgain: (delayMs) => void looks.push(delayMs),
  })
  rounds.start()
  return { ...rounds, said, looks, log, standing, owners, held, holdings }
}

const gone = (...ids: string[]): Record<string, Holder> => Object.fromEntries(ids.map((id) => [id, 'nobody']))

describe('a round', () => {
  it('shows a card with the first function that is not only ours, and does nothing when all is well', async () => {
    const it = stageRounds({})
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'check'])
    expect(it.standing.current.state).toBe('serving')
  })

  it('leaves what is shared to whoever has it, and registers it again when nobody has', async () => {
    const it = stageRounds({ 'all::share': twin })
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'check'])
    expect(it.standing.current.state).toBe('serving')
    Object.assign(it.held, gone('all::share'))
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'check', 'all::share', 'check'])
    expect(it.standing.current.state).toBe('serving')
    expect(it.log.lines).toEqual([])
  })

  it('knows nothing any more of functions that were unregistered, however many come and go', async () => {
    const it = stageRounds({})
    for (let nth = 0; nth < 100; nth += 1) {
      it.owners.ids = [...IDS, `shop::made-up-${nth}`]
      await it.run('light')
    }
    expect(it.holdings.size).toBeLessThanOrEqual(2 * (IDS.length + 2))
    expect([...IDS, 'shop::made-up-99', 'shop::made-up-0'].map(it.holdings.wasThere)).toEqual([
      ...IDS.map(() => true),
      true,
      false,
    ])
  })

  it('says what was replaced meanwhile as soon as it is seen to be ours', async () => {
    const it = stageRounds({ 'shop::b': twin })
    it.owners.untold = ['shop::b', 'shop::c']
    await it.run('light')
    expect(it.said).toEqual(['card shop::a', 'shop::c'])
    it.owners.untold = ['shop::b']
    await it.run('light')
    it.held['shop::b'] = 'us'
    await it.run('light')
    expect(it.said).toEqual(['card shop::a', 'shop::c', 'shop::b'])
  })

  it('claims the first of what is missing, and takes the rest when it got that', async () => {
    const it = stageRounds({}, (repeated) => {
      for (const id of repeated) it.held[id] = 'us'
    })
    await it.run('full')
    it.said.length = 0
    Object.assign(it.held, gone('shop::a', 'shop::b', 'shop::c'))
    await it.run('light')
    expect(it.said).toEqual(['shop::a', 'shop::b shop::c', 'types', 'route'])
    expect(it.standing.current.state).toBe('returning')
    await it.run('full')
    expect(it.said.at(-1)).toBe('check')
    expect(it.standing.current.state).toBe('serving')
  })

  it('leaves the rest to another that claimed at the same time, and stands by', async () => {
    const it = stageRounds({}, (repeated) => {
      for (const id of repeated) it.held[id] = twin
    })
    await it.run('full')
    it.said.length = 0
    Object.assign(it.held, gone('shop::a', 'shop::b', 'shop::c'))
    await it.run('full')
    expect(it.said).toEqual(['shop::a'])
    expect(it.looks.at(-1)).toBe(0)
    Object.assign(it.held, { 'shop::b': twin, 'shop::c': twin })
    await it.run('full')
    expect(it.said).toEqual(['shop::a'])
    expect(it.standing.current).toMatchObject({ state: 'standby', owner: TWIN })
  })

  it('takes the strays once when two registered at the same time and it has the first', async () => {
    const it = stageRounds({ 'shop::b': twin })
    it.owners.twins = [TWIN]
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'shop::b', 'types', 'route'])
    await it.run('full')
    expect(it.said).toHaveLength(4)
    expect(it.log.messages('warn').filter((text) => text.includes('runs more than once'))).toHaveLength(1)
  })

  it('takes nothing from a live process that is no twin, whenever it looks', async () => {
    const it = stageRounds({ 'shop::b': { instance: 'squatter', workerName: 'squatter' } })
    it.owners.twins = [TWIN]
    await it.run('full')
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'types', 'route'])
    expect(it.standing.current).toMatchObject({ state: 'standby', lost: ['shop::b'] })
  })

  it('takes nothing when two registered at the same time and the other has the first', async () => {
    const it = stageRounds({ 'shop::a': twin })
    it.owners.twins = [TWIN]
    await it.run('full')
    expect(it.said).toEqual(['card shop::a'])
    expect(it.standing.current).toMatchObject({ state: 'standby', lost: ['shop::a'] })
  })

  it('does not go on about functions that this engine never shows', async () => {
    const it = stageRounds(gone('shop::a', 'shop::b', 'shop::c', 'shop::us::own'))
    for (let round = 0; round < 6; round++) await it.run('full')
    expect(it.said.filter((text) => text === 'shop::a')).toHaveLength(2)
    expect(it.log.lines).toEqual([])
    expect(it.standing.current.state).toBe('serving')
  })

  it('ends with the connection on which it began', async () => {
    const it = stageRounds({}, () => it.end())
    await it.run('full')
    it.said.length = 0
    Object.assign(it.held, gone('shop::a', 'shop::b'))
    await it.run('full')
    expect(it.said).toEqual(['shop::a', 'no card'])
  })

  it('shows a new card when another function comes first', async () => {
    const it = stageRounds({})
    it.onRegistered()
    expect(it.said).toEqual(['card shop::a'])
    IDS.push('shop::0')
    it.onRegistered()
    IDS.pop()
    expect(it.said).toEqual(['card shop::a', 'card shop::0'])
  })
})

describe('a round of a worker that defers', () => {
  const HELD = ['shop::a', 'shop::b', 'shop::c']

  it('takes nothing while somebody has any of it, with a nonce or without, and says so once', async () => {
    for (const stranger of [twin, { instance: undefined, workerName: 'shop' }] as const) {
      const it = stageRounds({ ...gone(...HELD), 'shop::b': stranger })
      it.owners.defers = true
      await it.run('full')
      await it.run('light')
      expect(it.said).toEqual(['card shop::a'])
      expect(it.standing.current).toMatchObject({ state: 'standby', lost: ['shop::b'] })
      expect(it.owners.decided).toBe(2)
      expect(it.log.messages('warn')).toEqual([
        expect.stringMatching(
          /worker 'shop'.* serves shop::b; this process takes nothing from it, and serves when nobody else does$/,
        ),
      ])
    }
  })

  it('takes what is nobody’s, but no route that is bound elsewhere', async () => {
    const it = stageRounds(gone(...HELD), (repeated) => {
      for (const id of repeated) it.held[id] = 'us'
    })
    it.owners.defers = true
    it.owners.freeRoutes = []
    await it.run('full')
    expect(it.said).toEqual(['card shop::a', 'shop::a', 'shop::b shop::c', 'types', ''])
    expect([it.owners.decided, it.standing.current.state]).toEqual([1, 'serving'])
  })

  it('leaves it to a twin that defers to nobody to take what is nobody’s, for a while', async () => {
    const it = stageRounds(gone(...HELD), (repeated) => {
      for (const id of repeated) it.held[id] = 'us'
    })
    it.owners.defers = true
    it.owners.twins = [TWIN]
    await it.run('full')
    expect([it.said, it.looks.at(-1), it.owners.decided]).toEqual([['card shop::a'], 50, 0])
    await vi.waitFor(async () => {
      await it.run('full')
      expect(it.said).toContain('shop::b shop::c')
    })
    expect(it.owners.decided).toBe(1)
  })

  it('waits for no twin that defers as well', async () => {
    const it = stageRounds(gone(...HELD), (repeated) => {
      for (const id of repeated) it.held[id] = 'us'
    })
    it.owners.defers = true
    it.owners.twins = [{ ...TWIN, defers: true }]
    await it.run('full')
    expect(it.said).toContain('shop::b shop::c')
  })
})
