import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { startExplainStage } from '../../testing/explain-stage.ts'
import { toForeign } from '../../testing/foreign-metadata.ts'
import { startSkillsWorker } from '../../testing/skills-worker.ts'
import { untilAnswer } from '../../testing/until.ts'

const FUNCTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  'orders::create': { mcp: { tier: 'user', scopes: ['orders:write'] } },
  'orders::list': { mcp: { tier: 'user' } },
  'orders::purge': { mcp: { tier: 'ops', scopes: ['orders:admin'] } },
  'reports::daily': {},
  'reports::odd': { mcp: toForeign({ tier: 'user', scopes: 'orders:write' }) },
  'plumbing::tick': { internal: true },
}
const GRANTS = {
  ops: { scopes: ['orders:*'], management: true },
  staff: { tiers: ['user'], skills: ['orders'] },
  writer: { tiers: ['user'], scopes: ['orders:write'] },
}
const NAMES = Object.keys(GRANTS) as (keyof typeof GRANTS)[]

async function startStage() {
  const tokens = NAMES.map((name) => ({ name, grant: name, secret: createToken() }))
  const held = tokens.map(({ name, grant, secret }) => ({ name, grant, hash: [toDigest(secret)] }))
  const old = { name: 'old', grant: 'ops', hash: [`sha256:${'a'.repeat(64)}`], expires: '2020-01-01' }
  const anonymous = { grant: 'staff' }
  const auth = AuthBlock.parse({ tokens: [...held, old], grants: GRANTS, anonymous })
  const stage = await startExplainStage(FUNCTIONS, { auth, httpBuiltins: true })
  return {
    ...stage,
    /** What a client with the token of that name lists. */
    async listed(name: string): Promise<string[]> {
      const secret = tokens.find((token) => token.name === name)?.secret
      const headers = secret === undefined ? undefined : { authorization: `Bearer ${secret}` }
      const { tools } = await stage.bridge.result<{ tools: { name: string }[] }>('tools/list', {}, headers)
      return tools.map((tool) => tool.name).sort()
    },
  }
}

interface Told {
  functions: { tool: { name: string; shown: boolean } }[]
  management_tools: { management_tool: string; http: { shown: boolean } }[]
  resources: { uri: string }[]
}

describe('explain --as', () => {
  it('says what each principal lists, tool by tool', async () => {
    await using stage = await startStage()
    for (const who of [...NAMES.map((name) => `token:${name}`), 'anonymous']) {
      const { functions, management_tools } = (await stage.json('--all', '--as', who)) as Told
      const told = [
        ...functions.flatMap(({ tool }) => (tool.shown ? [tool.name] : [])),
        ...management_tools.flatMap((row) => (row.http.shown ? [row.management_tool] : [])),
      ].sort()
      const listed = await untilAnswer(
        () => stage.listed(who.replace('token:', '')),
        (names) => names.length === told.length,
      )
      expect([who, told]).toEqual([who, listed])
    }
  })

  it.each([
    ['staff', 'orders::list', undefined, undefined],
    [
      'staff',
      'orders::create',
      /asks for the scopes orders:write, and the grant 'staff'/,
      "give the grant 'staff' the scopes orders:write",
    ],
    [
      'staff',
      'reports::daily',
      /it has no mcp\.tier, and the grant 'staff' reaches the tiers user/,
      "set mcp.tier: 'user' in its metadata, or take the tiers out of the grant 'staff', which has all of them then",
    ],
    ['staff', 'reports::odd', /its mcp\.scopes cannot be read/, 'make its mcp.scopes a list of words'],
    [
      'writer',
      'orders::purge',
      /asks for the scopes orders:admin/,
      "add ops to the tiers of the grant 'writer' and give the grant 'writer' the scopes orders:admin",
    ],
    ['ops', 'plumbing::tick', /internal: true/, 'take internal: true out of its metadata'],
  ])('%s: %s', async (name, id, reason, change) => {
    await using stage = await startStage()
    const { tool } = (await stage.json(id, '--as', `token:${name}`)) as {
      tool: { shown: boolean; reason?: string; changes?: string[] }
    }
    expect(tool.shown).toBe(reason === undefined)
    if (reason !== undefined) expect(tool.reason).toMatch(reason)
    expect(tool.changes?.join(', or ')).toBe(change)
  })

  it('knows skills, prompts and management tools', async () => {
    await using stage = await startStage()
    await using registry = await startSkillsWorker(stage.engine.url)
    registry.skills.set('orders/refunds', '# Refunds')
    registry.skills.set('secret/plans', '# Plans')
    const codes = async (name: string) =>
      Promise.all(['token:ops', 'token:staff'].map(async (who) => (await stage.run(name, '--as', who)).code))
    expect(await codes('orders/refunds')).toEqual([0, 0])
    expect(await codes('iii://secret/plans')).toEqual([0, 3])
    expect(await codes('iii_trigger_void')).toEqual([0, 1])
    const { resources } = (await stage.json('--as', 'token:staff')) as Told
    expect(resources.map(({ uri }) => uri)).not.toContain('iii://secret/plans')
  })

  it('says whose eyes they are, who is not let in, and who is not there', async () => {
    await using stage = await startStage()
    expect((await stage.run('--as', 'token:ops')).stderr).toContain("as token:ops, with the grant 'ops'\n")
    expect((await stage.run('--as', 'grant:staff,writer')).stderr).toContain(
      "with the grant 'staff+writer' and a token with no scopes\n",
    )
    expect((await stage.run('--as', 'local')).stderr).toContain('as local, with the rules of the bridge alone\n')
    for (const [who, code, text] of [
      ['token:old', 1, 'token:old hears 401: its token has ended'],
      ['bus', 1, 'a bare message on the bus is refused'],
      ['token:nobody', 3, 'auth has no token:nobody; there are token:ops, '],
      ['grant:nobody', 3, 'auth has no grant:nobody; there are '],
      ['tokn:ops', 2, '--as: must be token:NAME, anonymous, local, bus or grant:NAME,…'],
    ] as const) {
      const { code: found, stderr } = await stage.run('--as', who)
      expect([who, found, stderr]).toEqual([who, code, expect.stringContaining(text)])
    }
    stage.bridge.set({ auth: undefined })
    expect((await stage.run('--as', 'token:ops')).stderr).toContain('nobody is asked who they are')
    expect((await stage.run('--as', 'ops')).code).toBe(2)
  })
})
