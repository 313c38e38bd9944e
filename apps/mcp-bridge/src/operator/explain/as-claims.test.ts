import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { startBridge } from '../../testing/bridge.ts'
import { runCommand } from '../../testing/command.ts'
import { createFolder } from '../../testing/folder.ts'
import { startIssuerServer } from '../../testing/issuer-server.ts'
import { AUDIENCE, toIssuerRow, toSeconds } from '../../testing/issuer-tokens.ts'
import { untilAnswer } from '../../testing/until.ts'

const FUNCTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  'orders::create': { mcp: { tier: 'user', scopes: ['orders:write'] } },
  'orders::list': { mcp: { tier: 'user' } },
  'reports::daily': {},
}

/** A bridge that takes the tokens of an issuer, and the command beside it. */
async function startStage() {
  const [engine, idp, folder] = [await startMockEngine(), await startIssuerServer(), await createFolder()]
  const { issuer } = idp
  const staff = [{ when: { claim: 'groups', has: 'staff' }, grant: 'staff' }]
  const trusted = toIssuerRow(idp, AUDIENCE, { require: ['mcp'], grants: staff })
  const grants = { staff: { tiers: ['user'] } }
  const auth = AuthBlock.parse({ resource: AUDIENCE, issuers: [trusted], grants })
  const bridge = await startBridge(engine, { options: { auth, noBuiltins: true } })
  for (const [id, metadata] of Object.entries(FUNCTIONS)) bridge.other.registerFunction(id, () => id, { metadata })
  await bridge.other.ready()
  const toFile = (content: unknown) =>
    folder.write('claims.json', typeof content === 'string' ? content : JSON.stringify(content))
  const explainFile = (file: string, ...words: string[]) =>
    runCommand(['explain', ...words, '--as-claims', file], { env: { III_URL: engine.url } })
  const explain = async (content: unknown, ...words: string[]) => explainFile(await toFile(content), ...words)
  return {
    ...{ issuer, bridge, explain, explainFile },
    /** What a client with a token of these claims lists. */
    async listed(claims: Record<string, unknown>): Promise<string[]> {
      const token = await idp.idp.sign({ aud: AUDIENCE, exp: toSeconds() + 60, ...claims })
      const { tools } = await bridge.result<{ tools: { name: string }[] }>(
        'tools/list',
        {},
        {
          authorization: `Bearer ${token}`,
        },
      )
      return tools.map(({ name }) => name).sort()
    },
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await Promise.all([engine.close(), idp[Symbol.asyncDispose](), folder[Symbol.asyncDispose]()])
    },
  }
}

interface Told {
  readonly functions: readonly { readonly tool: { readonly name: string; readonly shown: boolean } }[]
}

describe('explain --as-claims', () => {
  it('says what whoever has a token with these claims lists, its scopes counted', async () => {
    await using stage = await startStage()
    const ada = { iss: stage.issuer, sub: 'ada', groups: ['staff'] }
    for (const [claims, names] of [
      [{ ...ada, scope: 'mcp orders:write' }, ['orders__create', 'orders__list']],
      [{ ...ada, scope: 'mcp' }, ['orders__list']],
      [{ ...ada, groups: [], scope: 'mcp orders:write' }, []],
    ] as const) {
      const { stdout } = await stage.explain({ ...claims, exp: 1 }, '--json')
      const shown = (JSON.parse(stdout) as Told).functions.flatMap(({ tool }) => (tool.shown ? [tool.name] : []))
      const listed = await untilAnswer(
        () => stage.listed(claims),
        ({ length }) => length === names.length,
      )
      expect([shown.sort(), listed]).toEqual([names, names])
    }
  })

  it('says whose eyes they are, and what token and grant lack together', async () => {
    await using stage = await startStage()
    const ada = { iss: stage.issuer, sub: 'ada', groups: ['staff'], scope: 'mcp orders:read' }
    const { stdout, stderr } = await stage.explain(ada, 'orders::create')
    expect(stderr).toMatch(
      /^as jwt:[0-9a-f]{16}:ada, with the grant 'staff' and a token with the scopes mcp, orders:read$/m,
    )
    expect(stdout.replace(/\s+/g, ' ')).toContain("neither the grant 'staff' nor the token has all of them")
    expect((await stage.explain({ ...ada, groups: [] })).stderr).toContain('with no grant: none of the issuer fits\n')
    stage.bridge.set({ auth: undefined })
    expect((await stage.explain(ada)).stderr).toContain('nobody is asked who they are: who has these claims sees')
  })

  it('says who is not let in, and what a file should hold', async () => {
    await using stage = await startStage()
    const ada = { iss: stage.issuer, sub: 'ada', groups: ['staff'], scope: 'mcp' }
    for (const [content, code, text] of [
      [{ ...ada, iss: `${stage.issuer}/` }, 3, `auth has no issuer ${stage.issuer}/; there are: ${stage.issuer}`],
      [{ ...ada, scope: 'openid' }, 1, 'hears 403: the token needs all of the scopes mcp'],
      [{ ...ada, sub: undefined }, 1, 'hears 401: no claim says whom the token is about; sub should'],
      ['eyJhbGciOiJSUzI1NiJ9.e30.x', 1, 'is no JSON object; it has to hold the claims of a token'],
    ] as const) {
      const { code: found, stderr } = await stage.explain(content)
      expect([found, stderr]).toEqual([code, expect.stringContaining(text)])
    }
    const both = await stage.explain(ada, '--as', 'anonymous')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give one of them')])
    const gone = await stage.explainFile('nowhere/claims.json')
    expect([gone.code, gone.stderr]).toEqual([
      3,
      expect.stringContaining('claims.json: it is not there; it has to hold'),
    ])
    const device = await stage.explainFile('/dev/zero')
    expect([device.code, device.stderr]).toEqual([2, expect.stringContaining('/dev/zero is a device: only a regular')])
  })
})
