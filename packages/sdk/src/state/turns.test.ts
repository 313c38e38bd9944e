import { type FaultRule, startMockEngine } from '@iii/mock-engine'
import { Fault, toFault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { createStateScope } from './state-scope.ts'

type Loans = ReturnType<typeof createStateScope<string>>

/** As many processes with a scope of their own as there are names. */
async function startLibrary(processes: number, faults: FaultRule[] = []) {
  const stage = await startMockStage(() => startMockEngine({ faults }))
  const connected = Array.from({ length: processes }, () => stage.connect())
  const workers = await Promise.all(connected)
  const scopes = workers.map((worker) => createStateScope<string>(worker, 'loans'))
  return { ...stage, workers, scopes, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

function lend(loans: Loans, book: string, to: string): Promise<string> {
  return loans.inTurn(book, async () => {
    const before = await loans.get(book)
    if (before !== undefined) throw new Fault('conflict', `${book} is lent to ${before}`)
    await loans.set(book, to)
    return to
  })
}

/** A promise and the hand that settles it. */
function createGate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

describe('work in turn', () => {
  it('decides by what it read, and one of many at the same time wins', async () => {
    await using library = await startLibrary(2)
    const [here, there] = library.scopes as [Loans, Loans]
    const asked = ['Ada', 'Bob', 'Cy', 'Di'].map((name, nth) => lend(nth % 2 === 0 ? here : there, 'Emma', name))
    const outcomes = await Promise.allSettled(asked)
    const lent = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(lent).toEqual([await here.get('Emma')])
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [toFault(outcome.reason).code] : []))
    expect(failed).toEqual(['conflict', 'conflict', 'conflict'])
  })

  it('loses no update of three processes, whatever overtakes what', async () => {
    const faults: FaultRule[] = [
      { fault: 'reorder', windowMs: 2 },
      { fault: 'delay-call', function: 'state::*', ms: [0, 2] },
    ]
    await using library = await startLibrary(3, faults)
    const add = (loans: Loans) =>
      loans.inTurn('n', async () => loans.set('n', String(Number((await loans.get('n')) ?? 0) + 1)))
    await Promise.all(library.scopes.flatMap((loans) => Array.from({ length: 8 }, () => add(loans))))
    expect(await library.scopes[0]?.get('n')).toBe('24')
  })

  it('keeps the order asked within a process, and does not make one key wait for another', async () => {
    await using library = await startLibrary(1)
    const [loans] = library.scopes as [Loans]
    const log: string[] = []
    const gate = createGate()
    const first = loans.inTurn('a', () => gate.opened.then(() => log.push('a1')))
    const second = loans.inTurn('a', () => log.push('a2'))
    await loans.inTurn('b', () => log.push('b'))
    gate.open()
    await Promise.all([first, second])
    expect(log).toEqual(['b', 'a1', 'a2'])
  })

  it('goes on after a failure, which only its own caller sees', async () => {
    await using library = await startLibrary(1)
    const [loans] = library.scopes as [Loans]
    const failed = loans.inTurn('a', () => Promise.reject(new Error('no')))
    const done = loans.inTurn('a', () => 'done')
    await expect(failed).rejects.toThrow('no')
    expect(await done).toBe('done')
  })

  it('leaves nothing behind, and no row in the scope itself', async () => {
    await using library = await startLibrary(1)
    const [loans] = library.scopes as [Loans]
    expect(await loans.inTurn('a', () => loans.list())).toEqual([])
    expect(await library.engine.call('state::list', { scope: 'loans::turns' })).toEqual([])
  })

  it('takes over from a process that died in its turn, once its time is over', async () => {
    await using library = await startLibrary(3)
    const [dead, ...others] = library.scopes as [Loans, Loans, Loans]
    const begun = createGate()
    const never = dead.inTurn('Emma', () => new Promise(begun.open), { turnMs: 100 }).catch(toFault)
    await begun.opened
    await library.workers[0]?.shutdown()
    const outcomes = await Promise.allSettled(others.map((loans, nth) => lend(loans, 'Emma', `reader ${nth}`)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await never).toMatchObject({ code: 'deadline' })
  })

  it('is over when it takes too long: it is told so, and writes nothing any more', async () => {
    await using library = await startLibrary(1)
    const [loans] = library.scopes as [Loans]
    const tried = createGate()
    let late: unknown
    const slow = loans.inTurn(
      'a',
      async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        late = await loans.set('a', 'late').catch(toFault)
        tried.open()
      },
      { turnMs: 30 },
    )
    const fault = await slow.catch(toFault)
    expect(fault).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('took longer than 30 ms and is over'),
    })
    await tried.opened
    expect(late).toBe(fault)
    expect(await loans.get('a')).toBeUndefined()
  })

  it('is not waited for longer than was said', async () => {
    await using library = await startLibrary(2)
    const [here, there] = library.scopes as [Loans, Loans]
    const gate = createGate()
    const begun = createGate()
    const first = here.inTurn('a', () => {
      begun.open()
      return gate.opened
    })
    await begun.opened
    for (const loans of [here, there]) {
      const fault = await loans.inTurn('a', () => 'mine', { waitMs: 20 }).catch(toFault)
      expect(fault).toMatchObject({
        code: 'overloaded',
        message: expect.stringContaining("on 'a' in scope 'loans' within 20 ms"),
      })
    }
    const after = here.inTurn('a', () => 'after')
    gate.open()
    await first
    expect(await after).toBe('after')
  })

  it('is refused where it would wait for itself, and not in what only began there', async () => {
    await using library = await startLibrary(1)
    const [loans] = library.scopes as [Loans]
    const nested = () => loans.inTurn('a', () => 'inner')
    await expect(loans.inTurn('a', nested)).rejects.toThrow(
      "inTurn('a') of scope 'loans' is called within its own turn",
    )
    expect(await loans.inTurn('a', () => loans.inTurn('b', () => 'both'))).toBe('both')
    const gate = createGate()
    let later: Promise<string> | undefined
    await loans.inTurn('a', () => {
      later = gate.opened.then(nested)
    })
    gate.open()
    expect(await later).toBe('inner')
  })

  it.each([0, -1, Number.NaN, 600_001])('is refused with a turn that nobody may have: %d', async (turnMs) => {
    await using library = await startLibrary(1)
    const asked = library.scopes[0]?.inTurn('a', () => 'x', { turnMs })
    await expect(asked).rejects.toThrow(`turnMs is ${turnMs}; it must be more than 0 and at most 600000`)
  })

  it('fails as the store does where there is none', async () => {
    await using library = await startLibrary(1, [
      { fault: 'fail-call', function: 'state::*', message: 'The store is down' },
    ])
    await expect(library.scopes[0]?.inTurn('a', () => 'x')).rejects.toThrow('The store is down')
  })
})
