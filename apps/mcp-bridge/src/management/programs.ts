import { join } from 'node:path'
import { readCarriedPackages } from './carried-packages.ts'
import { findPackage, findProgram, type WorkerHost } from './host.ts'
import type { PrivateFolder } from './private-folder.ts'
import { type CodeRunner, readNodeWorker, readPythonWorker } from './runners.ts'
import { findPackages, toSourceFile } from './source-files.ts'
import type { WorkerRequest } from './worker-request.ts'

/** How to run the code of a client. */
export interface Program {
  readonly program: string
  readonly args: readonly string[]
}

/** What the code is registered as. */
export interface WorkerIdentity {
  readonly url: string
  /** Where it is; undefined for `default`. */
  readonly namespace: string | undefined
  /** Under which the engine lists the worker. */
  readonly name: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What runs code in a language. */
export interface Interpreter {
  readonly path: string
}

/** The interpreter for a language, or what to do where there is none. */
export function findInterpreter(
  host: WorkerHost,
  language: WorkerRequest['language'],
): Interpreter | { readonly problem: string } {
  const { node, platform } = host
  const names = platform === 'win32' ? ['python3', 'python'] : ['python3']
  const path = language === 'node' ? node : findProgram(host, names)
  return path === undefined ? { problem: NO_PYTHON } : { path }
}

const NO_PYTHON = [
  'Failed to spawn python3 process: python3 is not on the PATH of this server.',
  'Install Python 3.10 or newer, then its package: python3 -m pip install iii-sdk',
].join(' ')

/** Puts everything that a worker needs into its folder. */
export async function writeProgram(
  folder: PrivateFolder,
  { path: program }: Interpreter,
  { language, code, functionId, description }: WorkerRequest,
  { host, ...registered }: WorkerIdentity & { readonly host: WorkerHost },
): Promise<Program> {
  const { name, text, isWhole } = toSourceFile(language, code)
  await folder.write(name, text)
  await folder.write('worker.json', JSON.stringify({ ...registered, functionId, description, isWhole }))
  if (language === 'python') {
    const runner = await writeRunner(folder, readPythonWorker())
    return { program, args: ['-B', runner, folder.path] }
  }
  const runner = await writeRunner(folder, readNodeWorker())
  await supply(folder, host, findPackages(code))
  return { program, args: [...host.nodeArgs, runner, folder.path] }
}

async function writeRunner(folder: PrivateFolder, { name, text }: CodeRunner): Promise<string> {
  await folder.write(name, text)
  return join(folder.path, name)
}

/** What stands between code for Node.js and the engine is written with it. */
const SDK = '@iii/sdk'

/** Lets the code import packages: those that this program carries, and those that are installed. */
async function supply(folder: PrivateFolder, host: WorkerHost, imported: readonly string[]): Promise<void> {
  const carried = readCarriedPackages()
  for (const [name, text] of Object.entries(carried)) await folder.addPackage(name, text)
  for (const name of new Set([SDK, ...imported].filter((wanted) => !(wanted in carried)))) {
    const target = findPackage(host, name)
    if (target !== undefined) await folder.link(name, target)
  }
}
