import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { measureBest } from '../measure-best.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { startStdio } from '../stdio-process.ts'
import { askAs } from '../token-callers.ts'
import { type MadeToken, runTokenCreate } from '../token-command.ts'
import { until } from '../until.ts'

const COUNTS_MS = 2_000

const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-access::hello', () => ({ hello: 'you' }))
})

const startBridge = (file: string, block: string) =>
  startConfiguredBridge(shared.stack.engineUrl, file, block, ['--debug'])

/** Calls the tool of this file. */
const call = (token?: string) =>
  askAs(token, shared.stack.mcpUrl, 'tools/call', { name: 'e2e-access__hello', arguments: {} })

const statusOf = async (token?: string) => (await call(token)).status

scenario(['access/made'], 'a token is made, its block is the whole file, and its bearer calls a tool', async () => {
  const { token, block } = await runTokenCreate('ci')
  expect(token).toMatch(/^iii_\S{52}$/)
  await using _ = await startBridge(join(shared.folder, 'made.yaml'), block)
  const { status, body } = await call(token)
  expect([status, body]).toEqual([200, expect.stringContaining('"hello":"you"')])
  expect(await statusOf()).toBe(401)
  expect(await statusOf((await runTokenCreate('ci')).token)).toBe(401)
})

scenario(
  ['access/live', 'access/malformed'],
  'a change of the file counts within two seconds; one that is malformed, or has lost the block, changes nothing',
  async () => {
    const [one, two] = [await runTokenCreate('one'), await runTokenCreate('two')]
    const file = join(shared.folder, 'live.yaml')
    await using bridge = await startBridge(file, one.block)
    const best = await measureBest(COUNTS_MS, async () => {
      const swap = async (from: MadeToken, to: MadeToken) => {
        const startedAt = performance.now()
        await writeFile(file, to.block)
        await until(async () => (await statusOf(to.token)) === 200, { what: 'the new token to count' })
        expect(await statusOf(from.token)).toBe(401)
        return performance.now() - startedAt
      }
      return Math.max(await swap(one, two), await swap(two, one))
    })
    expect(best).toBeLessThan(COUNTS_MS)
    await writeFile(file, 'auth: { mode: of }\n')
    await bridge.line(/the last good settings stay/)
    expect([await statusOf(one.token), await statusOf()]).toEqual([200, 401])
    await writeFile(file, 'require_expose: false\n')
    await bridge.line(/auth is gone, .*the last good settings stay/)
    expect([await statusOf(one.token), await statusOf()]).toEqual([200, 401])
    await writeFile(file, 'auth: { mode: off }\n')
    await until(async () => (await statusOf()) === 200, { what: 'nobody to be asked' })
  },
)

scenario(['access/malformed'], 'a malformed block locks the bridge until it is mended', async () => {
  const { token, block } = await runTokenCreate('ci')
  const file = join(shared.folder, 'malformed.yaml')
  await using bridge = await startBridge(file, block.replace('mode: required', 'mode: requird'))
  for (const sent of [token, undefined]) {
    const { status, body } = await call(sent)
    expect([status, body]).toEqual([503, expect.stringContaining('line 2: auth: is not right')])
  }
  expect(bridge.stderr.join('\n')).toContain("did you mean 'required'?")
  await writeFile(file, block)
  await until(async () => (await statusOf(token)) === 200, { what: 'the mended block to count' })
  expect(await statusOf()).toBe(401)
})

scenario(
  ['access/stdio'],
  'a client over stdio needs no token, has the grant of stdio, and is held to the token that it shows',
  async () => {
    const { token, block } = await runTokenCreate('desk')
    const file = join(shared.folder, 'stdio.yaml')
    await writeFile(
      file,
      `${block}  stdio: { grant: none }\n`.replace('"all": {}', '"all": {}\n    none: { tiers: [none] }'),
    )
    const command = stdioBridge(shared.stack.engineUrl, ['--config', file])
    const list = async (env: Record<string, string>) => {
      await using client = startStdio(command, env)
      const isThere = async () => JSON.stringify(await client.request('resources/list')).includes('iii://functions')
      if (env['III_MCP_TOKEN'] === token) await until(isThere, { what: 'the engine' })
      const { result, error } = await client.request('tools/list')
      const tools = result?.['tools'] as { name: string }[] | undefined
      return error?.message ?? tools?.map(({ name }) => name).includes('e2e-access__hello')
    }
    expect(await list({})).toBe(false)
    expect(await list({ III_MCP_TOKEN: token })).toBe(true)
    expect(await list({ III_MCP_TOKEN: `${token}x` })).toMatch(/^Unauthorized: the token in III_MCP_TOKEN is not valid/)
  },
)
