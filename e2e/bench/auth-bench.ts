import type { Stack } from '../stack.ts'
import { inventToken, toTokenHash } from '../tokens.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import type { BenchSubject } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { measureSwitched, type SwitchedBridge, startOwnBridge } from './switched-bridge.ts'

/** What a tools/call costs where callers need a token of the file, beside the same where nobody is asked, in rounds that take turns. */
export function measureAuth(): Promise<string> {
  return measureSwitched({
    title: 'bridge: tools/call with a token of the file, beside the same without auth',
    echoId: 'auth::echo',
    open,
  })
}

/** Both are sent the same header, so that the engine has the same to do for both. */
async function open(stack: Stack, place: string): Promise<SwitchedBridge> {
  const token = inventToken()
  const hash = toTokenHash(token)
  const block = { mode: 'required', tokens: [{ name: 'bench', hash: [hash], grant: 'all' }], grants: { all: {} } }
  const { child, name, url, write } = await startOwnBridge(stack, place, () => ({ auth: block }))
  const params = { name: 'auth__echo', arguments: PAYLOAD }
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const subject: BenchSubject = { name, pid: child.pid, run: createHttpCaller(url, message, headers) }
  const statusOf = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
  }
  return {
    child,
    subject,
    async set(asks) {
      await write({ auth: asks ? block : { mode: 'off' } })
      await until(async () => (await statusOf()) === (asks ? 401 : 200), { what: `${name} to ask: ${asks}` })
    },
  }
}
