import { writeFile } from 'node:fs/promises'
import { startChild } from '../child.ts'
import { bridgeProgram } from '../programs.ts'
import type { Stack } from '../stack.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import type { BenchSubject } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { measureSwitched, type SwitchedBridge } from './switched-bridge.ts'

/** What a tools/call costs where each is a line of the audit, beside the same without, in rounds that take turns. */
export function measureAudit(): Promise<string> {
  return measureSwitched({
    title: 'bridge: tools/call with a line of the audit for each, beside the same without',
    echoId: 'audit::echo',
    open,
  })
}

/** A bridge at a path of its own. */
async function open({ engineUrl, httpUrl }: Stack, place: string): Promise<SwitchedBridge> {
  const [file, path] = [`${place}.yaml`, place.slice(place.lastIndexOf('/') + 1)]
  const write = (audit: string) => writeFile(file, JSON.stringify({ audit, auth: { mode: 'off' } }))
  await write('calls')
  const child = startChild(bridgeProgram(engineUrl, ['--config', file, '--api-path', path]))
  await child.line(/"msg":"ready"/)
  const params = { name: 'audit__echo', arguments: PAYLOAD }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const call = createHttpCaller(`${httpUrl}/${path}`, message)
  const subject: BenchSubject = { name: path, pid: child.pid, run: call }
  const countLines = () => child.stderr.filter((line) => line.includes('"audit":true')).length
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
      await write(isMeasured ? 'calls' : 'off')
      await until(async () => (await tells()) === isMeasured, { what: `${path} to tell: ${isMeasured}` })
    },
  }
}
