import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** As browsers send it when somebody opens an address. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
}

const cleanup = createCleanup()
let stack: Stack
beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
})
afterAll(() => cleanup.run())

const open = (headers: Record<string, string> = {}) => fetch(stack.mcpUrl, { headers: { ...BROWSER, ...headers } })

scenario(
  ['page/served'],
  'a browser gets the page, also by a link from another site, and a policy with it',
  async () => {
    for (const from of ['none', 'cross-site']) {
      const reply = await open({ 'sec-fetch-site': from })
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-/)
      expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
      expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
      expect(await reply.text()).toMatch(/^<!doctype html>[\s\S]+<\/html>\n$/)
    }
    for (const accept of ['text/event-stream', 'application/json', '*/*']) {
      const reply = await fetch(stack.mcpUrl, { headers: { accept } })
      expect([accept, reply.status]).toEqual([accept, 405])
      await reply.text()
    }
    // A `fetch` lets nobody say another host.
    const headers = { ...BROWSER, host: 'evil.example' }
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      get(stack.mcpUrl, { headers }, (reply) => resolve(reply.resume().statusCode)).on('error', reject)
    })
    expect(rebound).toBe(403)
  },
)

scenario(
  ['page/local'],
  'who lets others in shows no page, unless it is said so, and nobody where it is off',
  async () => {
    await using folder = await createTempFolder()
    const off = join(folder.path, 'off.yaml')
    await writeFile(off, 'auth: { mode: off }\n')
    const others = ['--config', off, '--allowed-hosts', 'mcp.example.com']
    for (const [flags, status] of [
      [others, 405],
      [[...others, '--page', 'on'], 200],
      [['--page', 'off'], 405],
    ] as const) {
      await stack.stop('mcp')
      await stack.startBridge(['--no-stdio', ...flags])
      await until(async () => (await open()).status === status, { what: `status ${status} with ${flags.join(' ')}` })
    }
  },
)
