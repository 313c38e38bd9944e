import { parseUri } from '@iii/protocol'
import fc from 'fast-check'
import { anyText } from '../inputs.ts'
import { type FuzzTarget, inTime, requireNoLeak, requireRpc } from '../target.ts'

const HEADERS = { 'content-type': 'application/json' }
const GRAMMAR = /^iii:\/\/[\w./~:-]+$/

const address = fc.oneof(
  anyText,
  fc
    .tuple(fc.constantFrom('iii://', 'iii://fn/', 'iii://functions/', 'III://', 'iii:/', 'http://'), anyText)
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('iii://orders', 'iii://fn/orders/report', 'iii://skills'), fc.nat(40), anyText)
    .map(([good, at, put]) => {
      const cut = at % good.length
      return good.slice(0, cut) + put + good.slice(cut)
    }),
)

/** Addresses of resources, as a client reads them. */
export function createAddressTarget(url: string): FuzzTarget<readonly string[]> {
  const read = (uri: string, id = 1) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } })
    return fetch(url, { method: 'POST', headers: HEADERS, body }).then((response) => response.text())
  }
  return {
    name: 'addresses',
    input: fc.array(address, { minLength: 8, maxLength: 24 }),
    count: (all) => all.length,
    async run(all) {
      for (const uri of all) {
        if (parseUri(uri) !== undefined && !GRAMMAR.test(uri))
          throw new Error(`takes ${JSON.stringify(uri)} for an address`)
      }
      const replies = await inTime('a read', Promise.all(all.map(read)))
      for (const reply of replies) {
        requireNoLeak(reply)
        requireRpc(JSON.parse(reply))
      }
    },
    async serves() {
      const { result } = JSON.parse(await read('iii://skills')) as { result?: object }
      if (result === undefined) throw new Error('the index page is not served any more')
    },
  }
}
