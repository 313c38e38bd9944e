import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toClient } from './call.ts'

it.each([
  [
    { name: 'claude-code', version: '2.1.0' },
    { name: 'claude-code', version: '2.1.0' },
  ],
  [{ name: 'modelcontextprotocol-inspector', version: '0.17.2-beta.1+linux' }, undefined],
  [
    { name: 'é', version: 1 },
    { name: '?', version: '' },
  ],
  [
    { name: 'agent sk-proj-abcdefgh12345678', version: '1' },
    { name: 'agent <secret>', version: '1' },
  ],
  [
    { name: 'agent', version: 'token=hunter2' },
    { name: 'agent', version: 'token=<secret>' },
  ],
  [
    { name: 'me: Bearer abc123def', version: '' },
    { name: 'me: Bearer <secret>', version: '' },
  ],
  [
    { name: 'Bearer abc123def', version: '' },
    { name: 'Bearer <secret>', version: '' },
  ],
  [
    { name: `${'n'.repeat(60)} password=hunter2`, version: '' },
    { name: `${'n'.repeat(60)} pas`, version: '' },
  ],
  [
    { name: `${'n'.repeat(50)} ghp_abcdefghijklmnop0123`, version: '' },
    { name: `${'n'.repeat(50)} <secret>`, version: '' },
  ],
])('%j goes into logs and records as %j', (info, client) => {
  expect(toClient(info)).toEqual(client ?? info)
})

it.each([undefined, 'claude', [], {}, { name: '' }, { name: 5 }])('%j says nothing of a client', (info) => {
  expect(toClient(info)).toBeUndefined()
})

it('is short and printable whatever a client says', () => {
  const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 4_000 }))
  fc.assert(
    fc.property(word, word, (name, version) => {
      const client = toClient({ name, version })
      expect(client?.name ?? '').toMatch(/^[\x20-\x7e]{0,64}$/)
      expect(client?.version ?? '').toMatch(/^[\x20-\x7e]{0,32}$/)
    }),
  )
})
