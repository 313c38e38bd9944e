import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startChild } from '../child.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

const HOST = 'mcp.example.com'
const UNDECIDED = 'allowed_hosts opens it to others, and its configuration file does not say who of them may ask'

let called = 0
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-undecided::work', () => ({ called: ++called }))
})

const desk = createTokenCaller({ name: 'desk', grant: 'all' })
const call = (host?: string, token?: string) =>
  askAs(
    token,
    shared.stack.mcpUrl,
    'tools/call',
    { name: 'e2e-undecided__work', arguments: {} },
    host === undefined ? {} : { host },
  )

for (const [what, auth, withoutToken] of [
  ['that nobody is asked', { mode: 'off' }, 200],
  ['whose tokens count', { tokens: [desk.row], grants: { all: {} } }, 401],
] as const) {
  scenario(
    ['access/undecided'],
    `a bridge that is open to another name answers nobody until its file says ${what}`,
    async () => {
      const file = join(shared.folder, `${withoutToken}.yaml`)
      const write = (more: object) => writeFile(file, JSON.stringify({ allowed_hosts: [HOST], ...more }))
      await write({})
      await using _ = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', file]))
      await until(async () => (await call(HOST)).body.includes(UNDECIDED), { what: 'the bridge to refuse' })
      const before = called
      for (const host of [HOST, undefined]) {
        for (const token of [undefined, desk.token]) {
          const { status, headers, body } = await call(host, token)
          const text = expect.stringContaining(UNDECIDED)
          expect([status, headers['www-authenticate'], body]).toEqual([503, undefined, text])
        }
      }
      for (const method of ['GET', 'DELETE']) {
        expect((await sendHttp(shared.stack.mcpUrl, { method, headers: { host: HOST } })).status).toBe(503)
      }
      expect((await call('evil.example.com', desk.token)).status).toBe(403)
      expect(called).toBe(before)

      await write({ auth })
      await until(async () => (await call(HOST, desk.token)).status === 200, { what: 'the block to count' })
      expect([(await call(HOST)).status, (await call()).status]).toEqual([withoutToken, withoutToken])
      expect((await call('evil.example.com', desk.token)).status).toBe(403)
    },
  )
}
