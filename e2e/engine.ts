import { readFileSync } from 'node:fs'
import { STATE_SCOPES, toScope } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { startChild } from './child.ts'
import { chosenEngine, type EngineAddress } from './chosen-engine.ts'
import { connectToEngine, listFunctions } from './facts.ts'
import { ENGINE_READY, type EngineFlags, engineProgram } from './programs.ts'
import { clearRuns } from './runs-rows.ts'
import { findOwners } from './start/owners.ts'
import { until } from './until.ts'

/** The engine of a stack. */
export interface Engine extends EngineAddress, AsyncDisposable {
  /** Starts it anew after `stop`, with its ports and what it stored. @throws for one that is not ours. */
  start(): Promise<void>
  stop(): Promise<void>
  /** What it has written to stdout and stderr; undefined where nobody knows. */
  readOutput(): string | undefined
}

/** The scopes that our programs keep something in; each may have others that are named after it, `skills::…`, also in a namespace, `skills@…`. */
const SCOPES = ['orders', ...Object.values(STATE_SCOPES).flatMap((scopes) => Object.values<string>(scopes))]

/** The store does not tell keys: a row says its own in one of these fields, a content of a skill in two, or it has a key that is always the same. */
const KEY_FIELDS = ['key', 'id', 'name', 'handle']
const KNOWN_KEYS = ['head', 'keys', 'latest']
/** Whose rows tell no keys, but have those of another scope. */
const KEYED_LIKE: Readonly<Record<string, string>> = {
  'mcp-task-results': 'mcp-tasks',
  'mcp-task-questions': 'mcp-tasks',
}

/** The engine for a stack, empty. @param dataDir where one of our own keeps what it stores. */
export async function openEngine(dataDir: string | undefined): Promise<Engine> {
  const { borrowed, version } = chosenEngine()
  return borrowed === undefined ? await startEngine({ engineVersion: version, dataDir }) : await borrow(borrowed)
}

async function startEngine(flags: Pick<EngineFlags, 'engineVersion' | 'dataDir'>): Promise<Engine> {
  let child = startChild(engineProgram({ enginePort: 0, httpPort: 0, ...flags }))
  const [, url = '', httpUrl = ''] = await child.line(ENGINE_READY)
  const ports = { enginePort: Number(new URL(url).port), httpPort: Number(new URL(httpUrl).port) }
  return {
    url,
    httpUrl,
    async start() {
      child = startChild(engineProgram({ ...ports, ...flags }))
      await child.line(ENGINE_READY)
    },
    stop: async () => void (await child.stop()),
    readOutput: () => [...child.stdout, ...child.stderr].join('\n'),
    [Symbol.asyncDispose]: async () => void (await child.stop()),
  }
}

/** Takes an engine over when the workers of the last stack, or of a run that was killed, are gone; leaves it as empty as it was. */
async function borrow(address: EngineAddress): Promise<Engine> {
  const control = connectToEngine(address.url, 'e2e')
  const refuse = () => Promise.reject(new Error(`${address.url} is not ours to stop: see own-engine.ts`))
  try {
    await until(() => isFree(control), { what: `${address.url} to be free for the programs under test` })
    await clear(control)
  } catch (error) {
    await control.shutdown()
    throw error
  }
  return {
    ...address,
    start: refuse,
    stop: refuse,
    readOutput: () => (address.outputFile === undefined ? undefined : readFileSync(address.outputFile, 'utf8')),
    async [Symbol.asyncDispose]() {
      try {
        await clear(control)
      } finally {
        await control.shutdown()
      }
    },
  }
}

/** @throws with the owners of what our programs are about to register. */
async function isFree(control: Worker): Promise<boolean> {
  const owners = findOwners(await listFunctions(control), [])
  if (owners.length > 0) throw new Error(owners.join(', '))
  return true
}

async function clear(control: Worker): Promise<void> {
  const { groups } = await control.trigger<{ groups: string[] }>({ function_id: 'state::list_groups' })
  const ours = groups.filter((group) => SCOPES.includes(toBase(group)))
  const namespaces = new Set(ours.map(toNamespace))
  await Promise.all([...namespaces].map((namespace) => clearRuns(control, namespace)))
  const [mute, telling] = [ours.filter(isMute), ours.filter((scope) => !isMute(scope))]
  await Promise.all(mute.map((scope) => emptyScope(control, scope)))
  await Promise.all(telling.map((scope) => emptyScope(control, scope)))
}

/** `skills` of `skills@shop::index`. */
function toBase(scope: string): string {
  return scope.split(/::|@/)[0] ?? ''
}

function toNamespace(scope: string): string | undefined {
  return /@(.*?)(::|$)/.exec(scope)?.[1]
}

function isMute(scope: string): boolean {
  return toBase(scope) in KEYED_LIKE
}

/** The scope whose rows tell the keys of this one. */
function toTelling(scope: string): string {
  const like = KEYED_LIKE[toBase(scope)]
  return like === undefined ? scope : toScope(like, toNamespace(scope))
}

async function emptyScope(control: Worker, scope: string): Promise<void> {
  const list = (of = scope) => control.trigger<unknown[]>({ function_id: 'state::list', payload: { scope: of } })
  if ((await list()).length === 0) return
  const rows = await list(toTelling(scope))
  const remove = (key: string) => control.trigger({ function_id: 'state::delete', payload: { scope, key } })
  await Promise.all([...rows.flatMap(toKeys), ...KNOWN_KEYS].map(remove))
  const left = await list()
  if (left.length === 0) return
  throw new Error(`The scope '${scope}' has rows that do not tell their keys: ${JSON.stringify(left).slice(0, 200)}`)
}

/** All that may be the key of a row. */
function toKeys(row: unknown): string[] {
  const fields = (row ?? {}) as Record<string, unknown>
  const told = KEY_FIELDS.map((field) => fields[field]).filter((key) => typeof key === 'string')
  return typeof fields['sha256'] === 'string' ? [...told, `${fields['id']}#${fields['sha256']}`] : told
}
