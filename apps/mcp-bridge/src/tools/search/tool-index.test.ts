import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToolIndex, type IndexedTool } from './tool-index.ts'

/** A tool as the index reads it: the rest of an entry does not matter to it. */
function toTool(name: string, description = '', takes: Record<string, object> = {}): IndexedTool {
  const json = JSON.stringify({ name, description, inputSchema: { type: 'object', properties: takes } })
  return { name, json: { inlined: json, shared: json } }
}

async function openIndex(tools: readonly IndexedTool[]) {
  const index = createToolIndex<IndexedTool>()
  await index.update(tools)
  return (query: string, visible: readonly IndexedTool[] = tools) =>
    index.search(query, 20, visible).tools.map(({ name }) => name)
}

const refund = toTool('payments__refund', 'Return the money of a payment')
const cancel = toTool('orders__cancel', 'Cancel an order that was not packed', { reason: { description: 'Why' } })
const label = toTool('shipping__label', 'Print a parcel label', { carrier: { enum: ['dhl', 'ups'] } })

describe('the index of tools', () => {
  it.each([
    ['refund', ['payments__refund']],
    ['cancelling orders', ['orders__cancel']],
    ['print', ['shipping__label']],
    ['dhl', ['shipping__label']],
    ['reason', ['orders__cancel']],
    ['canc', ['orders__cancel']],
    ['refnud', ['payments__refund']],
    ['shipmentlabels', []],
    ['', []],
    ['the of and', []],
    ['\u0000\ud800', []],
  ])('finds for %j %j', async (query, names) => {
    const find = await openIndex([refund, cancel, label])
    expect(find(query)).toEqual(names)
  })

  it('puts what is named so before what only says so', async () => {
    const find = await openIndex([toTool('a__x', 'Refund a payment'), refund])
    expect(find('refund')[0]).toBe('payments__refund')
  })

  it('answers a question of ten thousand letters', async () => {
    const find = await openIndex([refund, cancel])
    expect(find(`refund ${'x'.repeat(10_240)}`)).toEqual(['payments__refund'])
    expect(find('refund '.repeat(1_500))).toEqual(['payments__refund'])
  })

  it('is not led by a tool that says every word', async () => {
    const words = 'refund payment money order cancel parcel label print ship customer '.repeat(400)
    const find = await openIndex([refund, cancel, label, toTool('ads__best', words.slice(0, 4_096))])
    expect(find('refund a payment')[0]).toBe('payments__refund')
    expect(find('print a label')[0]).toBe('shipping__label')
    expect(find('horoscope')).toEqual([])
  })

  it('reads what has come and forgets what has gone', async () => {
    const index = createToolIndex<IndexedTool>()
    const find = (query: string, tools: readonly IndexedTool[]) => index.search(query, 5, tools).tools
    await index.update([refund, cancel])
    const changed = toTool('orders__cancel', 'Call an order off')
    const now = [changed, label]
    await index.update(now)
    expect(find('refund', now)).toEqual([])
    expect(find('parcel', now)).toEqual([label])
    expect(find('packed', now)).toEqual([])
    expect(find('call off', now)).toEqual([changed])
  })

  it('reads many bit by bit, so that others have their turn in between', async () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => toTool(`t__${at}`, 'Send an order'))
    const index = createToolIndex<IndexedTool>()
    let turns = 0
    let isRead = false
    const next = () => {
      turns += 1
      if (!isRead) setImmediate(next)
    }
    setImmediate(next)
    await index.update(tools)
    isRead = true
    expect(turns).toBeGreaterThanOrEqual(100)
    expect(index.search('send an order', 5, tools).fitting).toHaveLength(10_000)
  })

  it('answers who sees some of the tools as if there were no others', async () => {
    const word = fc.constantFrom('refund', 'order', 'cancel', 'parcel', 'label', 'print', 'customer', 'send', 'mail')
    const tool = fc
      .record({ id: fc.uuid(), words: fc.array(word, { maxLength: 8 }), isSeen: fc.boolean() })
      .map(({ id, words, isSeen }) => ({ tool: toTool(`t__${id}`, words.join(' ')), isSeen }))
    const query = fc.array(fc.oneof(word, fc.constantFrom('refnud', 'cancle', 'pri')), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(tool, { maxLength: 30 }), query, async (tools, words) => {
        const seen = tools.filter(({ isSeen }) => isSeen).map((each) => each.tool)
        const among = await openIndex(tools.map((each) => each.tool))
        const alone = await openIndex(seen)
        expect(among(words.join(' '), seen)).toEqual(alone(words.join(' ')))
      }),
      { numRuns: 300 },
    )
  })

  it('finds the same whatever came and went before', async () => {
    const tools = [refund, cancel, label, ...Array.from({ length: 30 }, (_, at) => toTool(`t__${at}`, 'Send an order'))]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.subarray(tools), { minLength: 1, maxLength: 5 }), async (steps) => {
        const index = createToolIndex<IndexedTool>()
        for (const step of steps) await index.update(step)
        const last = steps.at(-1) ?? []
        const fresh = await openIndex(last)
        for (const query of ['order', 'send order 7', 'parcel label', 'cancel']) {
          expect(index.search(query, 20, last).tools.map(({ name }) => name)).toEqual(fresh(query))
        }
      }),
      { numRuns: 100 },
    )
  })
})
