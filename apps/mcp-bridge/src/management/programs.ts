import { join } from 'node:path'
import { type Computer, findPackage, findProgram } from './computer.ts'
import type { PrivateFolder } from './private-folder.ts'
import { findPackages, toSourceFile } from './source-files.ts'
import type { WorkerRequest } from './worker-request.ts'

/** How to run the code of a client. */
export interface Program {
  readonly program: string
  readonly args: readonly string[]
}

/** What the code is registered as. */
export interface Registered {
  readonly url: string
  /** Under which the engine lists the worker. */
  readonly name: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What runs code in a language. */
export interface Interpreter {
  readonly path: string
  /** Where the files lie that stand between the code and the engine. */
  readonly runners: string
}

/** The interpreter for a language, or what to do where there is none. */
export function findInterpreter(
  computer: Computer,
  language: WorkerRequest['language'],
): Interpreter | { readonly problem: string } {
  const { packageRoot, node, platform } = computer
  if (packageRoot === undefined) return { problem: ONE_FILE }
  const runners = join(packageRoot, 'spawned')
  const names = platform === 'win32' ? ['python3', 'python'] : ['python3']
  const path = language === 'node' ? node : findProgram(computer, names)
  return path === undefined ? { problem: NO_PYTHON } : { path, runners }
}

const ONE_FILE = 'This server is one file, which cannot run workers; start it from its package: npx -y @iii/mcp'
const NO_PYTHON = [
  'Failed to spawn python3 process: python3 is not on the PATH of this server.',
  'Install Python 3.10 or newer, then its package: python3 -m pip install iii-sdk',
].join(' ')

/** Puts everything that a worker needs into its folder. */
export async function writeProgram(
  folder: PrivateFolder,
  { path: program, runners }: Interpreter,
  { language, code, functionId, description }: WorkerRequest,
  { computer, ...registered }: Registered & { readonly computer: Computer },
): Promise<Program> {
  const { name, text, isWhole } = toSourceFile(language, code)
  await folder.write(name, text)
  await folder.write('worker.json', JSON.stringify({ ...registered, functionId, description, isWhole }))
  if (language === 'python') return { program, args: ['-B', join(runners, 'python-worker.py'), folder.path] }
  for (const imported of findPackages(code)) {
    const target = findPackage(computer, imported)
    if (target !== undefined) await folder.link(imported, target)
  }
  return { program, args: [...computer.nodeArgs, join(runners, 'node-worker.js'), folder.path] }
}
