import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { useEmptyStack } from '../empty-stack.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type StdioProcess, startStdio } from '../stdio-process.ts'
import { createTokenCaller, type TokenRow } from '../token-callers.ts'
import { until } from '../until.ts'

const REFUSED = expect.stringMatching(/^Unauthorized: the token in III_MCP_TOKEN is not valid/)
const isRefusal = (text: string | undefined) => text?.startsWith('Unauthorized: the token in III_MCP_TOKEN') === true
let called = 0
const shared = useEmptyStack((worker) => {
  const count = () => ({ called: ++called })
  worker.registerFunction('e2e-desk::small', count, { metadata: { 'mcp.tier': 'small' } })
  worker.registerFunction('e2e-desk::large', count)
})

const desk = createTokenCaller({ name: 'desk', grant: 'small' })
const write = (file: string, tokens: readonly TokenRow[]) => {
  const grants = { all: {}, small: { tiers: ['small'] } }
  return writeFile(file, JSON.stringify({ auth: { tokens, grants, stdio: { grant: 'all' } } }))
}

/** Starts a process, and waits until its client sees a tool of this file. */
async function open(file: string, env: Record<string, string> = {}): Promise<StdioProcess> {
  const client = startStdio(stdioBridge(shared.stack.engineUrl, ['--config', file]), env)
  await until(async () => (await listTools(client)).includes('e2e-desk__small'), { what: 'the tools' })
  return client
}
const withToken = { III_MCP_TOKEN: desk.token }

async function listTools(client: StdioProcess): Promise<string[]> {
  const { result } = await client.request('tools/list')
  const tools = (result?.['tools'] ?? []) as { name: string }[]
  return tools
    .map(({ name }) => name)
    .filter((name) => name.startsWith('e2e-desk__'))
    .sort()
}

const call = (client: StdioProcess, name: string) =>
  client.request('tools/call', { name: `e2e-desk__${name}`, arguments: {} })

scenario(
  ['access/stdio'],
  'over stdio a token narrows: where the process may do all, its client sees and calls what the token may',
  async () => {
    const file = join(shared.folder, 'narrow.yaml')
    await write(file, [desk.row])
    await using all = await open(file)
    await using narrow = await open(file, withToken)
    expect(await listTools(all)).toEqual(['e2e-desk__large', 'e2e-desk__small'])
    expect(await listTools(narrow)).toEqual(['e2e-desk__small'])
    const before = called
    const [hidden, nothing] = [await call(narrow, 'large'), await call(narrow, 'nulla')]
    expect(hidden.error).toEqual({
      ...nothing.error,
      message: nothing.error?.message.replaceAll('nulla', 'large'),
    })
    expect(called).toBe(before)
    for (const [client, name] of [
      [narrow, 'small'],
      [all, 'large'],
    ] as const) {
      expect((await call(client, name)).result).toMatchObject({ structuredContent: { called } })
    }
    expect(called).toBe(before + 2)
  },
)

/** Asks for everything of which a process whose token has ended answers nothing. */
async function expectRefused(client: StdioProcess): Promise<void> {
  const before = called
  for (const [method, params] of [
    ['tools/call', { name: 'e2e-desk__small', arguments: {} }],
    ['resources/read', { uri: 'iii://fn/e2e-desk/small' }],
    ['tools/list', {}],
  ] as const) {
    const { result, error } = await client.request(method, params)
    expect([method, result, error]).toEqual([method, undefined, { code: -32004, message: REFUSED }])
  }
  expect(called).toBe(before)
}

scenario(
  ['access/stdio'],
  'a process over stdio answers no more once its token is taken out of the file, and one without a token goes on',
  async () => {
    const file = join(shared.folder, 'removed.yaml')
    await write(file, [desk.row])
    await using all = await open(file)
    await using client = await open(file, withToken)
    expect((await call(client, 'small')).result).toMatchObject({ structuredContent: { called } })
    await write(file, [])
    const isRefused = async () => isRefusal((await call(client, 'small')).error?.message)
    await until(isRefused, { what: 'the token to be gone' })
    await expectRefused(client)
    expect((await call(all, 'small')).result).toMatchObject({ structuredContent: { called } })
    await write(file, [desk.row])
    await until(async () => (await call(client, 'small')).result !== undefined, { what: 'the token to be back' })
  },
)

/** The file is read again within two seconds: the token is good for a while after that. */
const EXPIRES_IN_MS = 2_500

scenario(['access/stdio'], 'a process over stdio answers no more once its token has expired', async () => {
  const file = join(shared.folder, 'expiring.yaml')
  await write(file, [desk.row])
  await using client = await open(file, withToken)
  const expiresAt = Date.now() + EXPIRES_IN_MS
  await write(file, [{ ...desk.row, expires: new Date(expiresAt).toISOString() }])
  await until(async () => isRefusal((await call(client, 'small')).error?.message), { what: 'the token to expire' })
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
  await expectRefused(client)
})
