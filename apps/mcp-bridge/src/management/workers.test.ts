import { existsSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../testing/folder.ts'
import { startManaged, toTestHost } from '../testing/managed-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const PLACE = 'async () => ({ pid: process.pid, leader: process.ppid, folder: process.cwd(), env: process.env })'

interface Place {
  readonly pid: number
  readonly leader: number
  readonly folder: string
  readonly env: Record<string, string>
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function isGone({ pid, leader, folder }: Place): Promise<void> {
  await untilAnswer(
    () => [isThere(pid), isThere(leader), existsSync(folder)],
    (left) => !left.includes(true),
  )
}

describe('a worker that a client writes for Node.js', () => {
  it('is a tool at once, runs in private, and is gone when it is stopped', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using managed = await startManaged(engine.url)
    const made = await managed.call('iii_worker_register', {
      language: 'node',
      code: PLACE,
      function_name: 'made::place',
      description: 'Says where it runs.',
    })
    expect(made).toEqual({
      text: expect.stringContaining('Worker created and connecting to iii-engine'),
      isError: false,
      data: {
        id: expect.stringMatching(/^worker-[0-9a-f-]{36}$/),
        function_name: 'made::place',
        message: 'Worker created and connecting to iii-engine',
      },
    })
    const { tools } = await managed.bridge.result<{ tools: { name: string; description: string }[] }>('tools/list')
    expect(tools.find(({ name }) => name === 'made__place')?.description).toBe('Says where it runs.')
    const place = (await managed.call('made__place', {})).data as unknown as Place
    const { mode } = await stat(place.folder)
    expect(mode & 0o777).toBe(0o700)
    expect(Object.keys(place.env).sort()).toEqual(expect.arrayContaining(['HOME', 'III_URL', 'PATH']))
    expect(JSON.stringify(place.env)).not.toContain('do-not-tell')

    const { id } = made.data
    expect((await managed.call('iii_worker_stop', { id })).data).toEqual({
      id,
      message: 'Worker stopped and cleaned up',
    })
    expect(existsSync(place.folder)).toBe(false)
    await isGone(place)
    expect((await managed.call('iii_worker_stop', { id })).text).toBe(`Error: Worker not found: ${String(id)}`)
  })

  it.each([
    ['a module with a default export', 'export default async function any({ a }) { return { a } }'],
    [
      'a module that defines handler',
      'import { basename } from "node:path"\nconst handler = ({ a }) => ({ a: a || basename("x") });',
    ],
    ['an expression with a semicolon and a comment', '// doubles\n({ a }) => ({ a });\n'],
    [
      'a whole worker on our SDK',
      "import { registerWorker } from '@iii/sdk'\nregisterWorker(process.env.III_URL, { name: 'w' }).registerFunction('made::one', ({ a }) => ({ a }))",
    ],
  ])('may be %s', async (_, code) => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using managed = await startManaged(engine.url)
    const made = await managed.call('iii_worker_register', { language: 'js', code, function_name: 'made::one' })
    expect(made.text).toContain('Worker created')
    expect((await managed.call('made__one', { a: 7 })).data).toEqual({ a: 7 })
  })

  it.each([
    ['a function', '() => process.env.III_NAMESPACE'],
    [
      'a whole worker',
      "import { registerWorker } from '@iii/sdk'\nregisterWorker(process.env.III_URL, { name: 'w', namespace: process.env.III_NAMESPACE }).registerFunction('made::one', () => process.env.III_NAMESPACE)",
    ],
  ])('is in the namespace of its server, as %s', async (_, code) => {
    await using engine = await startMockEngine({ engine: '0.23', functionsPollMs: 50 })
    await using managed = await startManaged(engine.url, { namespace: 'orders' })
    const made = await managed.call('iii_worker_register', { language: 'node', code, function_name: 'made::one' })
    expect(made.text).toContain('Worker created and connecting')
    expect((await managed.call('made__one', {})).text).toBe('orders')
    await expect(managed.bridge.worker.trigger({ function_id: 'made::one', namespace: 'default' })).rejects.toThrow(
      'not found',
    )
  })

  it.each<[string, string, RegExp]>([
    [
      'throws',
      'throw new Error("token=abcdef123456 in " + import.meta.url)',
      /exit code 1\nIts output:\n[\s\S]*token=<secret>/,
    ],
    ['is no JavaScript', 'async ( => 1', /SyntaxError/],
    ['is no function', '({ a: 1 })', /the code is no function: write `async \(input\)/],
    [
      'needs a package',
      'import "not-installed-anywhere"\nexport const handler = () => 1',
      /The package 'not-installed-anywhere' is missing: install it in the folder .* npm install not-installed-anywhere/,
    ],
    [
      'leaves',
      'process.exit(3)\nexport const handler = 1',
      /^Error: Worker exited immediately with status: exit code 3$/,
    ],
    ['is killed', 'process.kill(process.pid, "SIGKILL")\nexport const handler = 1', /with status: signal SIGKILL$/],
  ])('that %s says so in the result, without paths and secrets', async (_, code, expected) => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using managed = await startManaged(engine.url)
    const { text, isError } = await managed.call('iii_worker_register', {
      language: 'node',
      code,
      function_name: 'made::bad',
    })
    expect(isError).toBe(true)
    expect(text).toMatch(expected)
    expect(text).not.toMatch(/iii-worker-|abcdef123456|node_modules/)
  })

  it('ends with the bridge, with all that it started, also where it does not want to', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    const managed = await startManaged(engine.url)
    const code = `import { spawn } from 'node:child_process'
      process.on('SIGTERM', () => undefined)
      const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => 0); setInterval(() => 0, 1000)'])
      export const handler = () => ({ pid: child.pid, leader: process.ppid, folder: process.cwd() })`
    await managed.call('iii_worker_register', { language: 'node', code, function_name: 'made::stubborn' })
    const place = (await managed.call('made__stubborn', {})).data as unknown as Place
    expect(isThere(place.pid)).toBe(true)
    await managed[Symbol.asyncDispose]()
    await isGone(place)
  })

  it('that ends later is remembered, and its place is free', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using managed = await startManaged(engine.url)
    const code = `() => {
      setTimeout(() => { console.error('no more'); process.exit(7) }, 20)
      return { pid: process.pid, leader: process.ppid, folder: process.cwd() }
    }`
    const input = { language: 'node', code, function_name: 'made::brief' }
    const { id } = (await managed.call('iii_worker_register', input)).data
    await isGone((await managed.call('made__brief', {})).data as unknown as Place)
    const { text } = await managed.call('iii_worker_stop', { id })
    expect(text).toContain(`Worker not found: ${String(id)} (it ended by itself with exit code 7\nIts output:\nno more`)
  })
})

describe('a worker that is not taken', () => {
  const code = '() => 1'

  it.each<[string, object, string]>([
    ['another language', { language: 'ruby' }, 'Unsupported language: ruby (node and python are there)'],
    [
      'too much code',
      { code: `() => '${'é'.repeat(131_072)}'` },
      'The code is too large: at most 262144 bytes are taken',
    ],
    ['an internal namespace', { function_name: 'state::set' }, 'is in the iii-engine internal namespace'],
    ['a prefix of the operator', { function_name: 'secret::x' }, "'secret::x' is disabled on this server"],
    ['an id that is not canonical', { function_name: '");process.exit()//' }, 'cannot be the id of a function'],
    ['the id of somebody else', { function_name: 'orders::create' }, "Function 'orders::create' is there already"],
    ['the id of somebody who hides it', { function_name: 'orders::hidden' }, 'is not exposed via mcp.expose metadata'],
  ])('has %s', async (_, change, expected) => {
    await using engine = await startMockEngine()
    await using managed = await startManaged(engine.url, { options: { hiddenPrefixes: ['secret::'] } })
    const other = registerWorker(engine.url, { name: 'other' })
    other.registerFunction('orders::create', () => 1)
    other.registerFunction('orders::hidden', () => 1, { metadata: { 'mcp.expose': false } })
    await other.ready()
    const input = { language: 'node', code, function_name: 'made::x', ...change }
    const { text, isError } = await managed.call('iii_worker_register', input)
    await other.shutdown()
    expect({ text, isError }).toEqual({ text: expect.stringContaining(expected), isError: true })
  })

  it('lacks what the schema asks for', async () => {
    await using engine = await startMockEngine()
    await using managed = await startManaged(engine.url)
    const params = { name: 'iii_worker_register', arguments: { language: 'node', code } }
    const { error } = await managed.bridge.request('tools/call', params)
    expect(error).toEqual({ code: -32602, message: 'Invalid params: missing field `function_name`' })
  })

  it('is the ninth', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    // Nine real ones would be a load of processes: this Node waits until it is told to end.
    await using folder = await createFolder()
    const node = await folder.write('node', '#!/bin/sh\nexec sleep 60\n')
    await chmod(node, 0o755)
    await using managed = await startManaged(engine.url, { host: toTestHost({ node }) })
    const name = 'iii_worker_register'
    const input = (n: number) => ({ language: 'node', code, function_name: `made::n${n}` })
    for (let n = 1; n <= 8; n++) {
      managed.bridge.send({ id: `n${n}`, method: 'tools/call', params: { name, arguments: input(n) } })
    }
    expect(await managed.call(name, input(9))).toMatchObject({
      isError: true,
      text: 'Error: There are 8 workers already, which is the most; stop one first',
    })
  })

  it('is in Python where there is none, or not its package', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const input = { language: 'python', code: 'def handler(data): return 1', function_name: 'made::py' }
    {
      await using managed = await startManaged(engine.url, { host: toTestHost({ env: { PATH: folder.path } }) })
      expect(await managed.call('iii_worker_register', input)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/python3 is not on the PATH of this server\. Install Python 3\.10 or newer/),
      })
    }
    const python = await folder.write(
      'python3',
      '#!/bin/sh\necho "The Python package iii-sdk is missing" >&2\nexit 1\n',
    )
    await chmod(python, 0o755)
    await using managed = await startManaged(engine.url, { host: toTestHost({ env: { PATH: folder.path } }) })
    expect(await managed.call('iii_worker_register', input)).toMatchObject({
      isError: true,
      text: 'Error: Worker exited immediately with status: exit code 1\nIts output:\nThe Python package iii-sdk is missing',
    })
  })
})
