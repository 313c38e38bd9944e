import type { Stack } from '../stack.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import type { BenchSubject } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { measureSwitched, type SwitchedBridge, startOwnBridge } from './switched-bridge.ts'

/** What a tools/call costs where each is a line of the audit, beside the same without, in rounds that take turns. */
export function measureAudit(): Promise<string> {
  return measureSwitched({
    title: 'bridge: tools/call with a line of the audit for each, beside the same without',
    echoId: 'audit::echo',
    open,
  })
}

async function open(stack: Stack, place: string): Promise<SwitchedBridge> {
  const toSettings = (audit: string) => ({ audit, auth: { mode: 'off' } })
  const { child, name, url, write, readLog } = await startOwnBridge(stack, place, () => toSettings('calls'))
  const params = { name: 'audit__echo', arguments: PAYLOAD }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const call = createHttpCaller(url, message)
  const subject: BenchSubject = { name, pid: child.pid, run: call }
  const countLines = () => readLog().split('"audit":true').length
  /** The line of a call may come after its reply, and that of the one before has come by then. */
  const tells = async () => {
    await call()
    const before = countLines()
    for (let count = 0; count < 5; count += 1) await call()
    return countLines() > before
  }
  return {
    child,
    subject,
    async set(isMeasured) {
      await write(toSettings(isMeasured ? 'calls' : 'off'))
      await until(async () => (await tells()) === isMeasured, { what: `${name} to tell: ${isMeasured}` })
    },
  }
}
