import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

type Entry = Readonly<Record<string, unknown>>
type Result = Readonly<{ structuredContent?: Entry; isError?: boolean; content?: readonly { text: string }[] }>

const CALLERS = {
  ada: createTokenCaller({ name: 'ada', grant: 'own' }),
  bob: createTokenCaller({ name: 'bob', grant: 'own' }),
  auditor: createTokenCaller({ name: 'auditor', grant: 'all' }),
  /** Is told of all that it may see, and may not see what the others do. */
  narrow: createTokenCaller({ name: 'narrow', grant: 'narrow' }),
}
type Who = keyof typeof CALLERS
const WORKERS = ['ada', 'bob'] as const
/** What each says when it calls something: found wherever that is told. */
const SAYS = { ada: 'says-ada', bob: 'says-bob' }

const cleanup = createCleanup()
/** The ids of the runs that they have started. */
const runs = { ada: '', bob: '' }
let stack: Stack

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  const config = join(path, 'runs.yaml')
  const input = { type: 'object', properties: { say: { type: 'string' } } }
  await writeFile(config, JSON.stringify({ jobs: { 'e2e-notes': { targets: ['e2e-notes::write'], input } } }))
  stack = cleanup.use(await startStack({ workers: ['runs'], runsFlags: ['--config', config, '--allow-run'] }))
  const metadata = { mcp: { scopes: ['notes'] } }
  stack.worker.registerFunction('e2e-notes::write', ({ say }: { say: string }) => ({ said: say }), { metadata })
  await stack.worker.ready()
  const tokens = Object.values(CALLERS).map(({ row }) => row)
  const scopes = ['notes']
  const grants = { own: { scopes }, all: { scopes, runs: 'all' }, narrow: { runs: 'all' } }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth: { tokens, grants } }))
  const isHeard = async () => {
    await call('auditor', 'e2e-nowhere__nothing')
    return JSON.stringify(await ask('auditor', 'list_runs', { mine: true })).includes('e2e-nowhere')
  }
  await until(isHeard, { what: 'the records to hear of calls' })
  for (const who of WORKERS) {
    await call(who, 'e2e-notes__write', { say: SAYS[who] })
    const record = await ask(who, 'run_job', { job: 'e2e-notes', input: { say: SAYS[who] } })
    runs[who] = String(record['id'])
  }
  const isTold = async () => (await list('auditor', { kind: 'call' })).length >= WORKERS.length
  await until(isTold, { what: 'the calls to be told' })
})
afterAll(() => cleanup.run())

async function call(who: Who, name: string, args: object = {}): Promise<Result> {
  const { body } = await askAs(CALLERS[who].token, stack.mcpUrl, 'tools/call', { name, arguments: args })
  return (JSON.parse(body) as { result: Result }).result
}

async function ask(who: Who, name: string, args: object = {}): Promise<Entry> {
  const { structuredContent, content } = await call(who, `runs__${name}`, args)
  if (structuredContent === undefined) throw new Error(content?.[0]?.text ?? 'no result')
  return structuredContent
}

/** What is told of the function of this file, on an engine where others may have left more. */
async function list(who: Who, args: object = {}): Promise<readonly Entry[]> {
  const { runs: entries } = await ask(who, 'list_runs', { limit: 100, ...args })
  return (entries as readonly Entry[]).filter((entry) => JSON.stringify(entry).includes('e2e-notes::write'))
}

const toPrincipals = (entries: readonly Entry[]) =>
  entries.map(({ kind, principal }) => `${kind} of ${principal}`).sort()

for (const [who, other] of [
  ['ada', 'bob'],
  ['bob', 'ada'],
] as const) {
  scenario(
    ['access/runs'],
    `${who} is told of the call and the run that it made, and of those of ${other} as of what is not there`,
    async () => {
      const expected = [`call of token:${who}`, `run of token:${who}`]
      for (const args of [{}, { mine: true }, { task: 'e2e-notes::write' }]) {
        expect([args, toPrincipals(await list(who, args))]).toEqual([args, expected])
      }
      expect(toPrincipals(await list(who, { job: 'e2e-notes' }))).toEqual([`run of token:${who}`])
      const { record } = await ask(who, 'read_run', { run_id: runs[who] })
      expect(record).toMatchObject({ id: runs[who], principal: `token:${who}`, status: 'passed' })
      const nowhere = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
      for (const [name, toArgs] of [
        ['read_run', (run_id: string) => ({ run_id })],
        ['diff_inputs', (run_id: string) => ({ task: 'e2e-notes::write', run_id })],
        ['diff_inputs', (against: string) => ({ task: 'e2e-notes::write', run_id: runs[who], against })],
      ] as const) {
        const [hidden, nothing] = await Promise.all(
          [runs[other], nowhere].map((id) => call(who, `runs__${name}`, toArgs(id))),
        )
        expect(hidden?.isError).toBe(true)
        expect(JSON.stringify(hidden).replaceAll(runs[other], nowhere)).toBe(JSON.stringify(nothing))
      }
    },
  )
}

scenario(['access/runs'], 'no answer about runs has anything that another caller did', async () => {
  const task = 'e2e-notes::write'
  for (const [name, args] of [
    ['list_runs', { limit: 100 }],
    ['list_tasks', {}],
    ['explain_task', { task }],
    ['diff_inputs', { task }],
    ['diff_inputs', { task, input: { say: SAYS.bob } }],
    ['graph', { job: 'e2e-notes' }],
    ['metadata', {}],
    ['doctor', {}],
  ] as const) {
    // The last to run was the other.
    const answer = JSON.stringify(await call('ada', `runs__${name}`, args))
    for (const secret of [runs.bob, SAYS.bob, 'token:bob', '"isError":true']) {
      expect([name, answer]).toEqual([name, expect.not.stringContaining(secret)])
    }
  }
})

scenario(
  ['access/runs'],
  'a grant whose runs are all is told of those of everybody, as far as it sees what was called',
  async () => {
    const expected = ['call of token:ada', 'call of token:bob', 'run of token:ada', 'run of token:bob']
    expect(toPrincipals(await list('auditor'))).toEqual(expected)
    expect(await list('auditor', { mine: true })).toEqual([])
    for (const who of WORKERS) {
      const { record } = await ask('auditor', 'read_run', { run_id: runs[who] })
      expect(record).toMatchObject({ id: runs[who], principal: `token:${who}` })
      expect(JSON.stringify(record)).toContain(SAYS[who])
    }
    expect(await list('narrow')).toEqual([])
    for (const run_id of Object.values(runs)) {
      expect((await call('narrow', 'runs__read_run', { run_id })).isError).toBe(true)
    }
  },
)
