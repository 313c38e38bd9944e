import { execFileSync } from 'node:child_process'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const shared = useEmptyStack((worker) => {
  for (const id of ['orders::list', 'billing::list']) worker.registerFunction(id, () => 'done')
})

const ask = (method: string, path = '/mcp') =>
  sendHttp(`${shared.stack.httpUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method }),
  })
const post = (path = '/mcp') => ask('ping', path)

/** Resolves with the 503 whose message matches; a bridge that serves meanwhile fails the test. */
async function lockedBy(reason: RegExp): Promise<string> {
  const seen = await until(
    async () => {
      const { status, body } = await post()
      return (status === 200 || (status === 503 && reason.test(JSON.parse(body).error.message))) && { status, body }
    },
    { what: `the bridge to be locked by ${reason}` },
  )
  expect(seen.status).toBe(503)
  return seen.body
}

const isServed = (path?: string) =>
  until(async () => (await post(path)).status === 200, { what: 'the bridge to serve', deadlineMs: 25_000 })

/** Resolves when these are the tools among those of this file. */
const toolsAre = (names: readonly string[], path?: string) =>
  until(
    async () => {
      const { body } = await ask('tools/list', path)
      const tools = JSON.parse(body).result.tools.map(({ name }: { name: string }) => name)
      const own = tools.filter((name: string) => /^(orders|billing)__list$/.test(name))
      return own.sort().join() === names.join()
    },
    { what: `the tools to be [${names}]` },
  )

scenario(
  ['config/locked'],
  'a bridge with a malformed file answers with line and reason until the file is mended',
  async () => {
    const config = join(shared.folder, 'bridge.yaml')
    await writeFile(config, 'api_path: /mcp\nrequire_expose: perhaps\n')
    await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    const locked = await lockedBy(/locked by its configuration: line 2: require_expose: /)
    expect(JSON.parse(locked)).toMatchObject({ id: 7 })
    expect(locked).not.toContain(shared.folder)

    await writeFile(config, 'api_path: /mcp\nrequire_expose: true\n')
    await isServed()

    await writeFile(config, 'api_path: [\n')
    await bridge.line(/last good/)
    expect((await post()).status).toBe(200)
  },
)

scenario(
  ['config/locked'],
  'a locked bridge is opened by nothing but a good file: not by one that contradicts itself, is empty, or is gone',
  async () => {
    const config = join(shared.folder, 'stays-locked.yaml')
    await writeFile(config, 'require_expose: perhaps\n')
    await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    await lockedBy(/line 1: require_expose: /)
    await writeFile(config, '# mended, it seems\nrequire_expose: true\nexpose_all: true\n')
    await lockedBy(/line 2: require_expose and expose_all \(line 3\) /)
    await writeFile(config, '')
    await lockedBy(/line 2: .*; now the file is empty: /)
    await rm(config)
    await lockedBy(/line 2: .*; now the file does not exist: put a mended one in its place/)
    await writeFile(config, 'require_expose: true\n')
    await isServed()
    await toolsAre([])

    await writeFile(config, 'require_expose: true\nexpose_all: true\n')
    await bridge.line(/require_expose and expose_all \(line 2\).*last good/)
    await toolsAre([])
  },
)

scenario(
  ['config/locked'],
  'flags that contradict each other are a usage error, and a flag that contradicts the file locks',
  async () => {
    const both = await runToEnd(bridgeProgram(shared.stack.engineUrl, ['--require-expose', '--expose-all']))
    expect(both).toMatchObject({ code: 2, stdout: '' })
    expect(both.stderr).toMatch(/^iii-mcp: --require-expose and --expose-all say the opposite of each other/)

    const config = join(shared.folder, 'contradicted.yaml')
    await writeFile(config, 'api_path: /mcp\nexpose_all: true\n')
    await using _bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--require-expose', '--config', config]))
    await lockedBy(/line 2: --require-expose \(flag\) and expose_all say the opposite/)
    await writeFile(config, 'api_path: /mcp\n')
    await isServed()
  },
)

const MAKE_PIPE = 'mkfifo'

scenario(
  ['config/regular-file'],
  'a pipe or an endless device in the place of the configuration locks a bridge, which opens and stops as ever',
  async () => {
    const config = join(shared.folder, 'pipe.yaml')
    execFileSync(MAKE_PIPE, [config])
    await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    await lockedBy(/the file is a pipe: only a regular file is read/)
    await rm(config)
    await writeFile(config, 'require_expose: true\n')
    await isServed()

    await rm(config)
    await symlink('/dev/zero', config)
    await bridge.line(/is a device.*last good/)
    await toolsAre([])
    bridge.signal('SIGTERM')
    expect(await bridge.exited).toEqual({ code: 0, signal: null })
  },
)

scenario(
  ['config/missing'],
  'a bridge whose file is missing serves nothing until there is a good one, and doctor says so',
  async () => {
    const config = join(shared.folder, 'missing.yaml')
    await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    await bridge.line(/missing\.yaml.*the configuration file cannot be used; nothing is served/)
    await lockedBy(/the file does not exist: name the right one with --config or III_CONFIG/)
    const { code, stdout } = await runToEnd(bridgeProgram(shared.stack.engineUrl, ['doctor', '--config', config]))
    expect([code, stdout]).toEqual([1, expect.stringMatching(/problem +configuration .*missing\.yaml/)])
    await writeFile(config, 'require_expose: true\n')
    await isServed()
    await toolsAre([])
  },
)

const MISTAKES = ['require_exopse: true', 'allow_run: ture', 'namespaces: [1]', 'api_path: a//b', ''].join('\n')
const TOLD = [
  "line 1: unknown key 'require_exopse'; did you mean 'require_expose'?",
  "line 2: allow_run: must be true or false, not a string; did you mean 'true'?",
  'line 3: namespaces[0]: must be a string, not a number',
  'line 4: api_path: must be one to eight segments of letters, digits and . _ ~ -, and not below /.well-known, for example /mcp',
]

scenario(
  ['config/mistakes'],
  'every mistake of a file is told at once, by the log, by doctor and to whoever asks, and a misspelt key opens nothing',
  async () => {
    const config = join(shared.folder, 'mistakes.yaml')
    await writeFile(config, MISTAKES)
    await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
    await bridge.line(/line 1: .*; line 2: .*; line 3: .*; line 4: /)
    const told = JSON.parse(await lockedBy(/require_exopse/)).error.message
    for (const mistake of TOLD) expect(told).toContain(mistake)
    const { stdout } = await runToEnd(bridgeProgram(shared.stack.engineUrl, ['doctor', '--json', '--config', config]))
    const checks: { check: string; details?: string[] }[] = JSON.parse(stdout).checks
    expect(checks.find(({ check }) => check === 'configuration')?.details).toEqual(TOLD)
  },
)

scenario(['config/mistakes'], 'a mistake of the YAML itself hides no other', async () => {
  const config = join(shared.folder, 'broken.yaml')
  await writeFile(config, `allowed_hosts: [a\n${MISTAKES}`)
  const { stdout } = await runToEnd(bridgeProgram(shared.stack.engineUrl, ['doctor', '--json', '--config', config]))
  const checks: { check: string; details?: string[] }[] = JSON.parse(stdout).checks
  const [broken, ...others] = checks.find(({ check }) => check === 'configuration')?.details ?? []
  expect(broken).toMatch(/^line 1: .*end with a \]$/)
  expect(others).toEqual(TOLD.map((told) => told.replace(/^line (\d)/, (_, line) => `line ${Number(line) + 1}`)))
})

scenario(['config/file'], 'a bridge serves the path of its file, and only that one', async () => {
  const config = join(shared.folder, 'path.yaml')
  await writeFile(config, 'api_path: tools/mcp\n')
  await using _bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
  await isServed('/tools/mcp')
  expect((await post()).status).toBe(404)
})

/** As the page of mcp 0.5.8 prints it. */
const PRINTED_CONFIGURATION = `- api_path: /mcp
  hidden_prefixes:
    - engine::
    - state::
    - stream::
    - iii.
    - iii::
    - mcp::
    - a2a::
    - skills::
    - prompts::
  require_expose: false
`

scenario(['config/file'], 'a bridge takes the configuration that its page prints, letter by letter', async () => {
  const config = join(shared.folder, 'printed.yaml')
  await writeFile(config, PRINTED_CONFIGURATION)
  await using bridge = startChild(bridgeProgram(shared.stack.engineUrl, ['--config', config]))
  await isServed()
  await toolsAre(['billing__list', 'orders__list'])
  expect(bridge.stderr.filter((line) => /"level":[45]0/.test(line))).toEqual([])

  const own = PRINTED_CONFIGURATION.replace('/mcp', '/mcp-custom').replace('- engine::', '- engine::\n    - orders::')
  await writeFile(config, own)
  await isServed('/mcp-custom')
  await toolsAre(['billing__list'], '/mcp-custom')
  expect((await post()).status).toBe(404)
})
