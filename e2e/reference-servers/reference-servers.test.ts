import { execFileSync } from 'node:child_process'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { requestOnce } from '../facts.ts'
import { type ClientHost, connectHost } from '../hosts.ts'
import type { EntryFields } from '../mcp-servers/fixture.ts'
import { expectNothingLeft, type ServerStage, startServerStage } from '../mcp-servers/stage.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** What others call the reference of MCP, unchanged, through the worker and the bridge. */
const cleanup = createCleanup()
const { npm, python } = inject('servers')
let stack: Stack
let stage: ServerStage
let host: ClientHost
/** What the servers may work on. */
let home: string

const NAMES = ['everything', 'filesystem', 'memory', 'time', 'git']

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  home = await realpath(cleanup.use(await createTempFolder()).path)
  const trusted = (command: string, more: EntryFields = {}) => ({
    command,
    trust: 'unsandboxed',
    timeouts: { start_ms: 60_000 },
    ...more,
  })
  const memory = { MEMORY_FILE_PATH: { value: join(home, 'memory.jsonl') } }
  const servers = () => ({
    everything: trusted(join(npm, 'mcp-server-everything'), { args: ['stdio'], operations: true }),
    filesystem: trusted(join(npm, 'mcp-server-filesystem'), { args: [home] }),
    memory: trusted(join(npm, 'mcp-server-memory'), { env: { set: memory }, operations: true }),
    time: trusted(join(python, 'mcp-server-time')),
    git: trusted(join(python, 'mcp-server-git')),
  })
  stage = cleanup.use(await startServerStage({ engineUrl: stack.engineUrl, control: stack.worker, servers }))
  for (const name of NAMES) await stage.reaches(name, 'ready')
  await until(async () => JSON.stringify(await requestOnce(stack.mcpUrl, 'tools/list')).includes('"git__git_log"'), {
    what: 'tools',
  })
  host = cleanup.use(await connectHost('client 2.x', stack.mcpUrl))
}, 120_000)
afterAll(() => cleanup.run())

const textOf = ({ content }: { content: readonly { text?: string | undefined }[] }) =>
  content.map(({ text = '' }) => text).join('\n')

scenario(['mcp-client/reference'], 'each is ready, and every tool that it lists is a tool of clients', async () => {
  for (const name of NAMES) {
    const { tools: own, diagnostics } = await stage.reaches(name, 'ready')
    const left = own.filter(({ state }) => state !== 'registered').map(({ tool }) => tool)
    // It asks for a task, which no caller here can have.
    expect(left, JSON.stringify(diagnostics)).toEqual(name === 'everything' ? ['simulate-research-query'] : [])
    const ids = own.filter(({ state }) => state === 'registered').map(({ functionId }) => functionId)
    expect(ids.length).toBeGreaterThan(1)
    const tools = ids.map((id) => id.replaceAll('::', '__'))
    const areShown = async () => {
      const shown = await host.listTools()
      return tools.every((tool) => shown.includes(tool))
    }
    await until(areShown, { what: `the tools of ${name}` })
  }
})

scenario(
  ['mcp-client/reference'],
  'server-everything answers, tells how far it is, and gives up when told to',
  async () => {
    expect(textOf(await host.call('everything__echo', { message: 'hello' }))).toContain('hello')
    expect(textOf(await host.call('everything__get-sum', { a: 2, b: 3 }))).toContain('5')
    const image = await host.call('everything__get-tiny-image')
    expect(image.content.map(({ type }) => type)).toContain('image')
    const weather = await host.call('everything__get-structured-content', { location: 'Chicago' })
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) })
    const links = await host.call('everything__get-resource-links', { count: 2 })
    expect(links.content.map(({ type }) => type)).toContain('resource_link')

    const heard: number[] = []
    const onProgress = ({ progress }: { progress: number }) => heard.push(progress)
    await host.call('everything__trigger-long-running-operation', { duration: 1, steps: 4 }, { onProgress })
    expect(heard).toEqual([1, 2, 3, 4])

    const stop = new AbortController()
    const called = host
      .call(
        'everything__trigger-long-running-operation',
        { duration: 60, steps: 60 },
        { signal: stop.signal, onProgress },
      )
      .then(
        () => 'done',
        () => 'cancelled',
      )
    await until(() => heard.length > 4, { what: 'the call to be under way' })
    stop.abort()
    expect(await called).toBe('cancelled')
    expect(textOf(await host.call('everything__echo', { message: 'after' }))).toContain('after')
  },
)

scenario(
  ['mcp-client/reference'],
  'what server-everything has to read and to prompt is there as functions',
  async () => {
    const listed = await stage.call<{ resources: { uri: string }[] }>('everything::mcp::resources-list')
    const uri = listed.resources.find((resource) => resource.uri.includes('features.md'))?.uri
    expect(JSON.stringify(await stage.call('everything::mcp::resources-read', { uri })).length).toBeGreaterThan(200)
    const prompts = await stage.call<{ prompts: { name: string }[] }>('everything::mcp::prompts-list')
    expect(prompts.prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['simple-prompt', 'args-prompt']))
    const got = await stage.call('everything::mcp::prompts-get', { name: 'args-prompt', arguments: { city: 'Ulm' } })
    expect(JSON.stringify(got)).toContain('Ulm')
    const shown = await stage.command('show', 'everything')
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('2025-11-25') })
  },
)

scenario(['mcp-client/reference'], 'server-filesystem writes and reads where it may, and nowhere else', async () => {
  const path = join(home, 'note.txt')
  await host.call('filesystem__write_file', { path, content: 'Water the plants\n' })
  expect(await readFile(path, 'utf8')).toBe('Water the plants\n')
  expect(textOf(await host.call('filesystem__read_text_file', { path }))).toContain('Water the plants')
  const outside = await host.call('filesystem__read_text_file', { path: '/etc/hostname' })
  expect(outside).toMatchObject({ isError: true })
  expect(textOf(outside)).toMatch(/Access denied|outside/)
})

scenario(['mcp-client/reference'], 'server-memory remembers, and shows it as a resource', async () => {
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }]
  await host.call('memory__create_entities', { entities })
  expect(textOf(await host.call('memory__search_nodes', { query: 'Ada' }))).toContain('wrote programs')
  const graph = await stage.call('memory::mcp::resources-read', { uri: 'memory://knowledge-graph' })
  expect(JSON.stringify(graph)).toContain('wrote programs')
})

scenario(
  ['mcp-client/reference'],
  'mcp-server-time and mcp-server-git, in Python, do their work and say what is wrong',
  async () => {
    expect(textOf(await host.call('time__get_current_time', { timezone: 'Europe/Berlin' }))).toContain('Europe/Berlin')
    expect(await host.call('time__get_current_time', { timezone: 'Nowhere/Land' })).toMatchObject({ isError: true })

    const repo_path = join(home, 'repository')
    await mkdir(repo_path)
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repo_path, stdio: 'ignore' })
    git('init', '--initial-branch', 'main')
    git('config', 'user.name', 'probe')
    git('config', 'user.email', 'probe@example.com')
    await writeFile(join(repo_path, 'one.txt'), 'one\n')
    expect(textOf(await host.call('git__git_status', { repo_path }))).toContain('one.txt')
    await host.call('git__git_add', { repo_path, files: ['one.txt'] })
    await host.call('git__git_commit', { repo_path, message: 'The first one' })
    expect(textOf(await host.call('git__git_log', { repo_path }))).toContain('The first one')
  },
)

scenario(
  ['mcp-client/reference'],
  'a list that changes, and a server that starts anew, keep the tools of clients',
  async () => {
    const before = await host.listTools()
    const { pid } = await stage.status('memory')
    // It announces its list once it is there: every start is a change, of nothing.
    await stage.call('mcp-client::restart', { server: 'everything' })
    await stage.call('mcp-client::restart', { server: 'memory' })
    await until(async () => (await stage.reaches('memory', 'ready')).pid !== pid, { what: 'another process' })
    await stage.reaches('everything', 'ready')
    await until(async () => (await host.listTools()).length === before.length, { what: 'all tools' })
    expect((await host.listTools()).sort()).toEqual([...before].sort())
    expect(textOf(await host.call('everything__echo', { message: 'anew' }))).toContain('anew')
  },
)

scenario(['mcp-client/reference'], 'none of their processes is left', () => expectNothingLeft(stage))
