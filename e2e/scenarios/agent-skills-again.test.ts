import { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { type Target, toNewTransport } from '../transports.ts'
import { until } from '../until.ts'

/** Served as they are, rendered, and with a title that has to move. */
const SKILLS: Readonly<Record<string, string>> = {
  own: '---\nname: own\ndescription: As it is.\n---\nText\r\n',
  'team/my_plain': '\uFEFF# Plain\n\nWithout front matter 😀.\n',
  titled: '---\nname: Some title\nversion: 2\n---\nTitled.\n',
}

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  for (const [id, skill] of Object.entries(SKILLS)) {
    const files = [{ path: 'notes.txt', text: id }]
    await stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill, files } })
  }
})
afterAll(() => cleanup.run())

async function connect(target: Target) {
  const client = new Client({ name: 'e2e', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(toNewTransport(target))
  return { client, skills: new SkillsClient(client), [Symbol.asyncDispose]: () => client.close() }
}

/** What a new client of this bridge is announced, and the registered texts. */
async function look(target: Target): Promise<unknown> {
  await using host = await connect(target)
  const { skills } = await host.skills.list()
  const texts = Object.keys(SKILLS).map((id) => host.client.readResource({ uri: `iii://${id}` }))
  return { skills, texts: (await Promise.all(texts)).map(({ contents: [content] }) => content) }
}

scenario(
  ['skills/extension'],
  'two bridges announce the same digests, and still do when registry and bridge were restarted',
  async () => {
    const bridges = [stack.mcpUrl, stdioBridge(stack.engineUrl)]
    const [first, second] = await Promise.all(bridges.map(look))
    expect(first).toMatchObject({ skills: { length: 3 }, texts: Object.values(SKILLS).map((text) => ({ text })) })
    expect(second).toEqual(first)
    await Promise.all([stack.stop('skills'), stack.stop('mcp')])
    await Promise.all([stack.startSkills(), stack.startBridge()])
    for (const bridge of bridges) {
      await until(
        () =>
          look(bridge).then(
            () => true,
            () => false,
          ),
        { what: 'the registry to answer' },
      )
      expect(await look(bridge)).toEqual(first)
    }
  },
)

scenario(
  ['skills/extension'],
  'while the registry is away its skills are an error and not an empty list, and the extension stays declared',
  async () => {
    await using before = await connect(stack.mcpUrl)
    const { skills } = await before.skills.list()
    await stack.stop('skills')
    await using after = await connect(stack.mcpUrl)
    for (const host of [before, after]) {
      expect([host.skills.supported, host.skills.directoryRead]).toEqual([true, true])
      await expect(host.skills.list()).rejects.toThrow()
      await expect(host.skills.get('skill://own/SKILL.md')).rejects.toThrow()
      await expect(host.skills.readDirectory('skill://')).rejects.toThrow()
      await expect(host.client.readResource({ uri: 'skill://own/SKILL.md' })).rejects.toThrow()
    }
    await stack.startSkills()
    const isBack = () =>
      after.skills.list().then(
        (list) => list.skills,
        () => undefined,
      )
    expect(await until(isBack, { what: 'the skills to be listed again' })).toEqual(skills)
  },
)
