import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publish } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  const config = join(folder.path, 'skills.yaml')
  await writeFile(config, 'lease_ms: 1000\n')
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], skillsFlags: ['--config', config] }))
})
afterAll(() => cleanup.run())

/** A worker of that name, with a skill and a prompt that live as long as it. */
async function startDesk(name: string) {
  const desk = connectToEngine(stack.engineUrl, name)
  desk.registerFunction(`${name}::note`, () => 'Note it.')
  await desk.ready()
  const { settled } = publish(desk, {
    skills: [{ id: name, skill: `---\nname: ${name}\ndescription: The desk.\n---\n` }],
    prompts: [{ name: `${name}-note`, description: 'Note it', function_id: `${name}::note` }],
    lease: true,
  })
  expect((await settled).failed).toEqual([])
  return desk
}

scenario(
  ['skills/leases'],
  'a client sees what a worker published with a lease while the worker is there, after a restart of the registry too',
  async () => {
    const name = 'desk'
    const uri = `iii://${name}`
    await using client = await stack.connect('sdk 1.x')
    const shown = async () => [
      ...(await client.listResources()).map((resource) => resource.uri).filter((one) => one === uri),
      ...(await client.listPrompts()).map((prompt) => prompt.name).filter((one) => one === `${name}-note`),
    ]
    const gone = () => until(async () => (await shown()).length === 0, { what: 'the content to be away' })
    const back = () => until(async () => (await shown()).length === 2, { what: 'the content to be back' })
    const desk = await startDesk(name)
    await back()
    await stack.stop('skills')
    await stack.startSkills()
    await back()
    await desk.shutdown()
    await gone()
    await expect(client.readResource(uri)).rejects.toThrow(`is away with its worker '${name}'`)
    await expect(client.getPrompt(`${name}-note`, {})).rejects.toThrow(`is away with its worker '${name}'`)
    await stack.stop('skills')
    await stack.startSkills()
    expect(await shown()).toEqual([])
    await using _again = await startDesk(name)
    await back()
    expect((await client.readResource(uri))[0]?.text).toContain('The desk.')
  },
)

scenario(['skills/leases'], 'what is published without a lease stays when its worker has left', async () => {
  const keeper = connectToEngine(stack.engineUrl, 'keeper')
  await keeper.ready()
  await publish(keeper, { skills: [{ id: 'kept', skill: '# Kept\n' }] }).settled
  await keeper.shutdown()
  const leased = await startDesk('leased')
  await leased.shutdown()
  await using client = await stack.connect('sdk 1.x')
  const uris = async () => (await client.listResources()).map((resource) => resource.uri)
  await until(async () => !(await uris()).includes('iii://leased'), { what: 'the leased skill to be away' })
  expect(await uris()).toContain('iii://kept')
})
