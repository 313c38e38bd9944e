import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToolIndex, type IndexedTool } from './tool-index.ts'

function toTool(name: string, description: string): IndexedTool {
  const json = JSON.stringify({ name, description, inputSchema: { type: 'object', properties: {} } })
  return { name, json: { inlined: json, shared: json } }
}

const TOOLS = [
  toTool('payments__refund', 'Return the money of a payment'),
  toTool('orders__cancel', 'Cancel an order that was not packed'),
  toTool('shipping__label', 'Print a parcel label'),
]
const QUERIES = ['refund a payment', 'cancelling orders', 'print label', 'refnud', 'canc', 'horoscope', '']

async function openIndex(tools: readonly IndexedTool[]) {
  const index = createToolIndex<IndexedTool>()
  await index.update(tools)
  return (query: string) => index.search(query, 20, tools).tools.map(({ name }) => name)
}

const CONTROLS = '\u0000\u0007\u0008\u001b[2J\u001b]0;\u0007\r\n\u007f\u0085\u2028'
const INVISIBLE = '\u200b\u200d\u2060\ufeff\u00ad\u202e\u2066\u2069\u{e0072}'
const LONE = '\ud800 \udc00\ud83d \ufffd\uffff'
const MARKS = 'Z\u0351\u036b\u0343\u0489a\u0334\u0321l\u0338g\u0321o\u034f'
const RUSSIAN = 'Оплата и возврат денег: рефунд'
const CHINESE = '取消订单并退款'
const ARABIC = 'إلغاء الطلب وإرجاع المبلغ'

describe('a tool whose description has control characters or another script', () => {
  it.each([
    CONTROLS,
    INVISIBLE,
    LONE,
    MARKS,
    RUSSIAN,
    CHINESE,
    ARABIC,
    'ยกเลิกคำสั่งซื้อ',
    '注文を取り消す',
    '🧾💸🧨',
    '\ufdfa',
  ])('is not found by what has nothing to do with it, and nothing else ranks otherwise: %j', async (description) => {
    const alone = await openIndex(TOOLS)
    for (const text of [description, `${description} `.repeat(4_096).slice(0, 4_096)]) {
      const among = await openIndex([toTool('zz__odd', text), ...TOOLS])
      expect(QUERIES.map(among)).toEqual(QUERIES.map(alone))
      expect(among('odd')).toEqual(['zz__odd'])
    }
  })

  it.each([
    [RUSSIAN, 'возврат'],
    [CHINESE, '退款'],
    [ARABIC, 'المبلغ'],
    [`${CONTROLS}horoscope${CONTROLS}`, 'horoscope'],
    [MARKS, 'zalgo'],
  ])('is found by its own words: %j by %j', async (description, query) => {
    const find = await openIndex([...TOOLS, toTool('zz__odd', description)])
    expect(find(query)).toEqual(['zz__odd'])
  })

  it.each(['\u0000', '\u001b[1m', '\u200b', '\u202e', ' возврат ', '退款'])(
    'does not lead where it says the words of others with %j between them',
    async (between) => {
      const words = ['refund', 'payment', 'cancel', 'order', 'print', 'label', 'parcel', 'money']
      const text = words.join(between).concat(between).repeat(100).slice(0, 4_096)
      const find = await openIndex([...TOOLS, toTool('zz__odd', text)])
      expect(find('refund a payment')[0]).toBe('payments__refund')
      expect(find('cancelling orders')[0]).toBe('orders__cancel')
      expect(find('print label')[0]).toBe('shipping__label')
    },
  )

  it('leaves alone what is asked in Latin letters, whatever it says without them', async () => {
    const alone = await openIndex(TOOLS)
    const wanted = QUERIES.map(alone)
    const isLatin = (text: string) => /[a-z0-9]/i.test(text.normalize('NFKC').normalize('NFD'))
    const foreign = fc
      .array(fc.oneof(fc.integer({ min: 0, max: 0x10_ffff }), fc.integer({ min: 0, max: 0x2fff })), { maxLength: 100 })
      .map((points) => points.map((point) => String.fromCodePoint(point)).filter((text) => !isLatin(text)))
      .map((characters) => characters.join(''))
    await fc.assert(
      fc.asyncProperty(foreign, async (description) => {
        const among = await openIndex([toTool('zz__odd', description), ...TOOLS])
        expect(QUERIES.map(among)).toEqual(wanted)
      }),
      { numRuns: 50 },
    )
  })
})
