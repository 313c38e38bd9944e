import { describe, expect, it } from 'vitest'
import type { RouteReach } from '../http/route-reach.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { untilReached } from './until-reached.ts'

const blocked = (why: string): RouteReach => ({ kind: 'blocked', why, advice: 'Mend it' })
const REACHED: RouteReach = { kind: 'reached' }
const TIMINGS = { quietMs: 0, longestPauseMs: 1 }

/** A worker that finds these, one after the other. */
function stage(finds: (RouteReach | 'silence')[], ownership: Ownership['state'] = 'serving') {
  const log = createRecordedLog()
  const worker = {
    state: 'connected' as const,
    ownership: { state: ownership, since: new Date(), lost: [], owner: undefined },
    async reach() {
      const found = finds.shift() ?? REACHED
      if (found === 'silence') throw new Error('no answer')
      return found
    },
  }
  return { log, finds, worker }
}

describe('a worker that waits until it is reached', () => {
  it('says nothing where it is', async () => {
    const { worker, log } = stage(['silence', REACHED])
    await untilReached(worker, log, TIMINGS)
    expect(log.lines).toEqual([])
  })

  it('says what keeps requests away, once for each thing, and that it is over', async () => {
    const { worker, log, finds } = stage([blocked('one'), blocked('one'), 'silence', blocked('two'), REACHED])
    await untilReached(worker, log, TIMINGS)
    expect(finds).toEqual([])
    expect(log.messages('warn')).toEqual([
      'no request over HTTP comes to this worker: one. Mend it; this worker goes on trying',
      'no request over HTTP comes to this worker: two. Mend it; this worker goes on trying',
    ])
    expect(log.messages('info')).toEqual(['requests over HTTP come to this worker now'])
  })

  it('says nothing of what is over in a moment', async () => {
    const { worker, log } = stage([blocked('one'), REACHED])
    await untilReached(worker, log, { ...TIMINGS, quietMs: 10_000 })
    expect(log.lines).toEqual([])
  })

  it('goes on where it cannot be tried, and says so', async () => {
    const { worker, log } = stage([{ kind: 'unknown', why: 'it does not tell', advice: 'Try it' }])
    await untilReached(worker, log, TIMINGS)
    expect(log.messages('warn')).toEqual([
      'whether requests over HTTP come to this worker could not be checked: it does not tell. Try it',
    ])
  })

  it('goes on where another process serves, or it is closed', async () => {
    const { worker, log } = stage([blocked('one')], 'standby')
    await untilReached(worker, log, TIMINGS)
    await untilReached({ ...worker, state: 'closed' }, log, TIMINGS)
    expect(log.lines).toEqual([])
  })
})
