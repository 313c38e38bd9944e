import { startMockEngine } from '@iii/mock-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accept, answering, offer, startMcpStage } from '../testing/mcp-stage.ts'

const Sure = z.object({ sure: z.boolean() })

describe('rounds of questions', () => {
  it('end with the answers of all of them, whatever was asked together', async () => {
    await using on = await startMcpStage(startMockEngine)
    let shape: number[] = []
    await offer(on, async ({ ask }) => {
      const heard: unknown[] = []
      for (const [round, size] of shape.entries()) {
        const asks = Array.from({ length: size }, (_, nth) =>
          ask.form(`${round}.${nth % 2}`, z.object({ text: z.string() })),
        )
        heard.push(await Promise.all(asks))
      }
      return heard.flat()
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), async (sizes) => {
        shape = sizes
        const answers = (await on.bridge.call('shop::job', {
          answer: (requests) =>
            Object.fromEntries(
              Object.entries(requests).map(([key, { params }]) => [key, accept({ text: params?.['message'] })]),
            ),
        })) as { content: { text: string } }[]
        expect(answers.map(({ content }) => content.text)).toEqual(
          sizes.flatMap((size, round) => Array.from({ length: size }, (_, nth) => `${round}.${nth % 2}`)),
        )
      }),
      { numRuns: 25 },
    )
  })

  it('carry what was done once, so that nobody orders twice', async () => {
    await using on = await startMcpStage(startMockEngine)
    const ordered: string[] = []
    on.caller.registerFunction('stock::order', ({ sku }: { sku: string }) => {
      ordered.push(sku)
      return { id: `o-${ordered.length}` }
    })
    await on.caller.ready()
    const order = (sku: string) => () => on.worker.trigger({ function_id: 'stock::order', payload: { sku } })
    const count = await offer(on, async ({ ask, once }) => {
      const tea = await once('tea', order('tea'))
      await ask.form('Cups too?', Sure)
      const [cup, answer, again] = await Promise.all([
        once('cup', order('cup')),
        ask.form('Sugar too?', Sure),
        once('cup', order('cup')),
      ])
      return { tea, cup, again, answer: answer.action }
    })
    const answer = answering({ 'Cups too?': accept({ sure: true }), 'Sugar too?': { action: 'decline' } })
    expect(await on.bridge.call('shop::job', { answer })).toEqual({
      tea: { id: 'o-1' },
      cup: { id: 'o-2' },
      again: { id: 'o-2' },
      answer: 'decline',
    })
    expect(ordered).toEqual(['tea', 'cup'])
    expect(count.runs).toBe(3)
  })

  it('do what failed once more', async () => {
    await using on = await startMcpStage(startMockEngine)
    let tries = 0
    await offer(on, ({ once }) => {
      const work = () => {
        tries++
        if (tries === 1) throw new Error('busy')
        return tries
      }
      return once('try', work).catch(() => once('try', work))
    })
    expect(await on.bridge.call('shop::job')).toBe(2)
  })

  it('need the state that went with them, where something was done', async () => {
    await using on = await startMcpStage(startMockEngine)
    let done = 0
    await offer(on, async ({ ask, once }) => {
      await once('pay', () => ++done)
      return await ask.form('Go on?', Sure, { key: 'go' })
    })
    await on.bridge.callOnce('shop::job')
    const input_responses = { go: accept({ sure: true }) }
    await expect(on.bridge.callOnce('shop::job', { sidecar: { input_responses } })).rejects.toThrow(
      'nobody knows whether "pay" was done already',
    )
    expect(done).toBe(1)
  })

  it('do not take a state that is none', async () => {
    await using on = await startMcpStage(startMockEngine)
    const count = await offer(on, () => 'done')
    await expect(on.bridge.callOnce('shop::job', { sidecar: { request_state: 'forged' } })).rejects.toThrow(
      'The request state is not one that this function has given [invalid_input]',
    )
    expect(count.runs).toBe(0)
  })

  it('carry a limited amount', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask, once }) => {
      await once('page', () => 'x'.repeat(300_000))
      await ask.form('Go on?', Sure)
    })
    await expect(on.bridge.call('shop::job')).rejects.toThrow(/the largest part is the result of once\("page"\)/)
    await expect(on.caller.trigger({ function_id: 'shop::job' })).rejects.toThrow('nobody can be asked here')
  })
})

describe('what is called before a question', () => {
  it('is refused outside of once, whoever calls, because it would be called again', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask }) => {
      await on.worker.trigger({ function_id: 'state::get', payload: { scope: 's', key: 'k' } })
      return await ask.form('Go on?', Sure, { default: { sure: true } })
    })
    const reason = 'shop::job called state::get before it asked the question "Go on?", and would call it again'
    await expect(on.bridge.call('shop::job')).rejects.toThrow(reason)
    await expect(on.caller.trigger({ function_id: 'shop::job' })).rejects.toThrow(reason)
  })

  it('is refused beside a question too, and later in a run that has ended with one', async () => {
    await using on = await startMcpStage(startMockEngine)
    const calls: string[] = []
    let goOn: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let late: Promise<unknown> | undefined
    on.caller.registerFunction('stock::order', () => void calls.push('order'))
    await on.caller.ready()
    const order = () => on.worker.trigger({ function_id: 'stock::order' })
    let beside = true
    await offer(on, ({ ask }) => {
      if (beside) return Promise.all([ask.form('Go on?', Sure), order()])
      late = ended.then(order).catch((error: unknown) => error)
      return Promise.all([ask.form('Go on?', Sure), late])
    })
    const reason = 'shop::job calls stock::order while it asks, and would call it again'
    await expect(on.bridge.callOnce('shop::job')).rejects.toThrow(reason)
    beside = false
    expect(await on.bridge.callOnce('shop::job')).toMatchObject({ result_type: 'input_required' })
    goOn()
    expect(String(await late)).toContain(reason)
    expect(calls).toEqual([])
  })

  it('may be anything after the last question, and messages to the client at any time', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ ask, progress, log }) => {
      await progress(1, 2)
      await log('info', 'asking')
      await ask.form('Go on?', Sure)
      return await on.worker.trigger({ function_id: 'state::set', payload: { scope: 's', key: 'k', value: 1 } })
    })
    const answer = answering({ 'Go on?': accept({ sure: true }) })
    expect(await on.bridge.call('shop::job', { answer })).toMatchObject({ new_value: 1 })
    expect(on.bridge.told.map(({ what }) => what)).toEqual(['progress', 'log', 'progress', 'log'])
  })

  it('may not be a question within once', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ ask, once }) => once('k', () => ask.form('Go on?', Sure)))
    await expect(on.bridge.call('shop::job')).rejects.toThrow(
      'must not ask within once(key, fn): the question "Go on?"',
    )
  })
})
