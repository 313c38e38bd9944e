import type { SoakClient } from '../http-clients.ts'
import type { CallVerdict } from '../ledger.ts'
import type { Model } from '../model.ts'
import { judgeTool, type Operation, RIGHT, readTool, refused, toWrong } from '../operation.ts'
import { pick } from '../random.ts'

/** So many are made; then the same are asked for again, which finds those that there are. */
const REFERENCES = 60
const line = { sku: 'TEA', quantity: 2, unit_price: 450 }

/** Orders that were acknowledged are there, under their ids. */
export function createOrders(model: Model) {
  const ids = new Map<string, string>()
  const read = async (reference: string, client: SoakClient): Promise<CallVerdict> => {
    const expected = model.expect(reference)
    const order_id = ids.get(reference) ?? ''
    const message = await client.ask('tools/call', { name: 'orders__get', arguments: { order_id } })
    const { text } = readTool(message)
    const problem = /No order /.test(text) ? expected.judge(undefined) : undefined
    return problem === undefined ? judgeTool(message, order_id) : toWrong(problem)
  }
  const operations: Operation[] = [
    {
      ...{ name: 'orders__create', member: 'orders', weight: 4 },
      async run(client, random) {
        const reference = `soak-${Math.floor(random() * REFERENCES)}`
        const writing = model.write(reference)
        const order = { customer: 'Ada', currency: 'EUR', lines: [line], reference }
        const { text, isError } = readTool(await client.ask('tools/call', { name: 'orders__create', arguments: order }))
        if (isError) return refused(text)
        const id = /ORD-\w{10}/.exec(text)?.[0]
        if (id === undefined) return toWrong(`an order without an id: ${text}`)
        const known = ids.get(reference)
        if (known !== undefined && known !== id) return toWrong(`${reference} was ${known}, and is ${id}`)
        ids.set(reference, id)
        writing.acknowledged()
        return RIGHT
      },
    },
    {
      ...{ name: 'orders__get', member: 'orders', weight: 12 },
      async run(client, random) {
        const there = model.ids()
        if (there.length === 0) return RIGHT
        return await read(pick(random, there), client)
      },
    },
  ]
  return { operations, read }
}
