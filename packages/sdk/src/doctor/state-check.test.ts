import { describe, expect, it } from 'vitest'
import { InvocationError } from '../engine/invocation-error.ts'
import type { DoctorContext } from './context.ts'
import { createStateCheck } from './state-check.ts'

const facts = { scope: 'orders', without: 'orders end with it', afterRestart: 'orders are gone' }

/** Runs the check on an engine that answers like this. */
function check(answers: Record<string, () => unknown>, isLasting = true) {
  const ask = async (id: string) => answers[id]?.()
  return createStateCheck({ ...facts, isLasting }).run({ ask } as unknown as DoctorContext)
}
const fail = (code: string) => () => {
  throw new InvocationError(code, 'no such function', 'state::get')
}
const kept = (adapter: object) => ({ 'configuration::get': () => ({ value: { adapter } }) })

describe('the state of an engine', () => {
  it.each([
    [{ name: 'kv', config: { store_method: 'in_memory' } }, 'warning', /kept in memory: orders are gone$/],
    [{ name: 'kv' }, 'warning', /kept in memory/],
    [{ name: 'kv', config: { store_method: 'file_based', save_interval_ms: 2000 } }, 'ok', /to files every 2 s/],
    [{ name: 'redis', config: { redis_url: 'redis://secret@x' } }, 'ok', /kept by the adapter redis$/],
    [{ odd: 1 }, 'ok', /the engine does not say$/],
  ])('kept by %j is judged', async (adapter, verdict, summary) => {
    expect(await check(kept(adapter))).toMatchObject({ verdict, summary: expect.stringMatching(summary) })
  })

  it('in memory is well for what need not last', async () => {
    expect(await check(kept({ name: 'kv' }), false)).toMatchObject({ verdict: 'ok', advice: [] })
  })

  it('is missing, or does not answer', async () => {
    const missing = await check({ 'state::get': fail('function_not_found') })
    expect(missing).toMatchObject({ verdict: 'warning', summary: 'the engine has no state: orders end with it' })
    expect(await check({ 'state::get': fail('TIMEOUT') })).toMatchObject({ verdict: 'problem' })
  })
})
