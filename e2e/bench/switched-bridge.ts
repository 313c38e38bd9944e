import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Child, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { runFor } from './measure.ts'
import { type ComparedBridge, formatHalves, type Half, measureHalf } from './swapped-halves.ts'

/** A bridge that can be switched to what is measured, and back. */
export interface SwitchedBridge extends ComparedBridge {
  readonly child: Child
  set(isMeasured: boolean): Promise<void>
}

export interface SwitchedOptions {
  readonly title: string
  /** The id of a function that gives back what it is given. */
  readonly echoId: string
  /** @param place absolute path without an ending, for the files of this bridge; its last part is a name for it */
  readonly open: (stack: Stack, place: string) => Promise<SwitchedBridge>
}

/** A bridge with a file and a path of its own. */
export interface OwnBridge {
  readonly child: Child
  readonly name: string
  readonly url: string
  /** Writes other settings into its file. */
  write(settings: object): Promise<void>
  /** What it has logged: into a file, since a client that reads it as well takes its time for that. */
  readLog(): string
}

/** @param place as in {@link SwitchedOptions} @param toSettings what its file says first, by its address */
export async function startOwnBridge(
  { engineUrl, httpUrl }: Stack,
  place: string,
  toSettings: (url: string) => object,
): Promise<OwnBridge> {
  const [file, name] = [`${place}.yaml`, basename(place)]
  const write = (said: object) => writeFile(file, JSON.stringify(said))
  const url = `${httpUrl}/${name}`
  await write(toSettings(url))
  const stderrFile = `${place}.log`
  const readLog = () => readFileSync(stderrFile, 'utf8')
  const child = startChild({ ...bridgeProgram(engineUrl, ['--config', file, '--api-path', name]), stderrFile })
  await until(() => readLog().includes('"msg":"ready"'), { what: `${name} to be ready` })
  return { child, name, url, write, readLog }
}

const WARM_UP_MS = 2_000

/** What a call costs with what is measured, beside the same without, on two bridges of one engine. */
export async function measureSwitched({ title, echoId, open }: SwitchedOptions): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder()).path
    const stack = use(await startStack({ workers: [] }))
    stack.worker.registerFunction(echoId, (payload: unknown) => payload)
    await until(() => hasFunctions(stack.worker, [echoId]), { what: echoId })
    const [one, other] = [await open(stack, join(folder, 'one')), await open(stack, join(folder, 'other'))]
    for (const { child } of [one, other]) use(child)
    return formatHalves(title, [await measureBoth(one, other), await measureBoth(other, one)])
  } finally {
    await run()
  }
}

async function measureBoth(more: SwitchedBridge, less: SwitchedBridge): Promise<Half> {
  await more.set(true)
  await less.set(false)
  for (const { subject } of [more, less]) await runFor(subject, 1, WARM_UP_MS)
  return await measureHalf(more, less)
}
