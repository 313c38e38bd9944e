import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { findCall, type SeenMessage } from './exchanges.ts'

const toExchange = (message: object, at: number): SeenMessage => ({
  seq: at + 1,
  at: 0,
  direction: 'sent',
  message: { jsonrpc: '2.0', ...message } as JSONRPCMessage,
})

it('the messages of a call are told from those of others', () => {
  const all = [
    { id: 1, method: 'tools/call', params: { name: 'mine' } },
    { id: 2, method: 'tools/call', params: { name: 'mine' } },
    { id: 3, method: 'tools/call', params: { name: 'other' } },
    { method: 'notifications/progress', params: { progressToken: 2, progress: 1 } },
    { method: 'notifications/progress', params: { progressToken: 3, progress: 1 } },
    { method: 'notifications/tools/list_changed' },
    { id: 3, result: {} },
    { id: 2, result: { resultType: 'input_required' } },
    { id: 4, method: 'tools/call', params: { name: 'mine' } },
    { method: 'notifications/cancelled', params: { requestId: 4 } },
    { id: 4, error: { code: 1, message: 'x' } },
  ].map(toExchange)
  expect(findCall(all, 'mine', 1).map(({ seq }) => seq)).toEqual([2, 4, 8, 9, 10, 11])
})
