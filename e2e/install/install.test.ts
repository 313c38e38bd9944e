import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { openWorkplace } from '../own-project.ts'
import { until } from '../until.ts'
import { type EngineProject, startProject } from './project.ts'

/** Of released command lines, which take graphs only of archives on public https hosts. */
const UNTRUSTED = /not trusted/
const STEP_MS = 330_000

const cleanup = createCleanup()
let project: EngineProject
let control: Worker

beforeAll(async () => {
  project = cleanup.use(await startProject(inject('programs')))
  control = connectToEngine(project.engineUrl, 'probe')
  cleanup.use({ [Symbol.asyncDispose]: () => control.shutdown() })
  await control.ready({ timeoutMs: 60_000 })
  control.registerFunction('probe::echo', (payload) => payload, { metadata: { mcp: { expose: true } } })
}, 240_000)
afterAll(() => cleanup.run())

/** One after the other, as a user would type them; the first that fails ends the run and shows what everybody said. */
function step(sentence: string, body: () => Promise<void>): void {
  const explained = () =>
    body().catch((error: Error) => {
      throw new Error(`${error.message}\n\n${project.explain()}`)
    })
  it(sentence, explained, STEP_MS)
}

async function expectDone(...words: string[]): Promise<string> {
  const { code, said } = await project.run(...words)
  expect(code, `iii worker ${words.join(' ')}`).toBe(0)
  return said
}

const servesMcp = async () => (await requestOnce(project.mcpUrl, 'ping')) !== undefined
const servesSkills = () => hasFunctions(control, SKILLS_FUNCTIONS)

async function expectCall(): Promise<void> {
  const call = () => requestOnce(project.mcpUrl, 'tools/call', { name: 'probe__echo', arguments: { word: 'there' } })
  const result = await until(call, { what: 'the tool to be called' })
  expect(JSON.stringify(result)).toContain('there')
}

step('`iii worker add mcp` installs both workers and waits until they are ready', async () => {
  const { code, said } = await project.run('add', 'mcp')
  expect(project.registry.requests).toContain('POST /resolve')
  if (code !== 0) {
    expect(said).toMatch(UNTRUSTED)
    project.registry.forgetGraphs()
    await expectDone('add', 'skills')
    await expectDone('add', 'mcp')
  }
  expect(project.readConfig()).toMatch(/name: skills[\s\S]*name: mcp|name: mcp[\s\S]*name: skills/)
  await until(servesSkills, { what: 'skills to be registered' })
  await until(servesMcp, { what: 'MCP to answer behind the HTTP port of the engine' })
  expect(project.listProcesses()).toHaveLength(2)
})

step('a tool is called through the engine', expectCall)

step('`iii worker stop mcp` ends it', async () => {
  await expectDone('stop', 'mcp')
  await until(async () => !(await hasFunctions(control, ['mcp::handler'])), { what: 'mcp to be gone' })
  expect(await servesSkills()).toBe(true)
})

step('`iii worker start mcp` brings it back, and the tool is called again', async () => {
  await expectDone('start', 'mcp')
  await until(servesMcp, { what: 'MCP to answer again' })
  await expectCall()
})

step('`iii worker remove mcp skills` leaves nothing of them', async () => {
  await expectDone('remove', '--yes', 'mcp', 'skills')
  await until(async () => !(await hasFunctions(control, ['mcp::handler'])), { what: 'mcp to be removed' })
  await until(async () => !(await hasFunctions(control, ['skills::list'])), { what: 'skills to be removed' })
  expect(project.readConfig()).not.toMatch(/name: (mcp|skills)\b/)
  expect(project.listProcesses()).toEqual([])
})

step('`iii worker add tea` installs the worker of a project that was created and packed by its author', async () => {
  await using workplace = await openWorkplace()
  await workplace.create('tea')
  await workplace.npm('tea', 'pkg', 'set', 'license=MIT', 'repository=https://example.com/tea')
  const { filesUrl, folder } = project.registry
  await workplace.npm('tea', 'exec', '--', 'iii-pack-worker', '--base-url', filesUrl, '--out', folder)
  project.registry.forgetGraphs()
  await expectDone('add', 'tea')
  const greet = () => control.trigger({ function_id: 'tea::greet', payload: { name: 'Ada' } })
  expect(await until(greet, { what: 'the worker of the project' })).toEqual({ greeting: 'Hello, Ada!' })
  await expectDone('remove', '--yes', 'tea')
  await until(async () => !(await hasFunctions(control, ['tea::greet'])), { what: 'tea to be removed' })
})
