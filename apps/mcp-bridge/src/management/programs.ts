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

/** The interpreter for a language, or what to do where there is none. */
export function findInterpreter(
  computer: Computer,
  language: WorkerRequest['language'],
): { path: string } | { problem: string } {
  if (language === 'node') return { path: computer.node }
  const names = computer.platform === 'win32' ? ['python3', 'python'] : ['python3']
  const path = findProgram(computer, names)
  if (path !== undefined) return { path }
  const problem = [
    'Failed to spawn python3 process: python3 is not on the PATH of this server.',
    'Install Python 3.10 or newer, then its package: python3 -m pip install iii-sdk',
  ].join(' ')
  return { problem }
}

/** Puts everything that a worker needs into its folder. */
export async function writeProgram(
  folder: PrivateFolder,
  interpreter: string,
  { language, code, functionId, description }: WorkerRequest,
  { computer, ...registered }: Registered & { readonly computer: Computer },
): Promise<Program> {
  const { name, text, isWhole } = toSourceFile(language, code)
  await folder.write(name, text)
  await folder.write('worker.json', JSON.stringify({ ...registered, functionId, description, isWhole }))
  const runner = (file: string) => join(computer.packageRoot, 'spawned', file)
  if (language === 'python') return { program: interpreter, args: ['-B', runner('python-worker.py'), folder.path] }
  for (const imported of findPackages(code)) {
    const target = findPackage(computer, imported)
    if (target !== undefined) await folder.link(imported, target)
  }
  return { program: interpreter, args: [...computer.nodeArgs, runner('node-worker.js'), folder.path] }
}
