import { fileURLToPath } from 'node:url'
import { type ChildOptions, runToEnd } from '../child.ts'

/** Programs as they are installed: one file, which starts itself. */

const APPS = new URL('../../apps/', import.meta.url)
const BUILD = new URL('../../packages/packaging/src/build.ts', import.meta.url)
const FILE = 'bundle/index.mjs'

export const INSTALLED = {
  bridge: new URL(`mcp-bridge/${FILE}`, APPS),
  skills: new URL(`skills-registry/${FILE}`, APPS),
} as const

/** Makes them from the sources as they are now. */
export async function buildInstalled(): Promise<void> {
  for (const file of Object.values(INSTALLED)) {
    const cwd = fileURLToPath(new URL('..', file))
    const { code, stderr } = await runToEnd({ name: 'build', entry: BUILD, cwd }, 60_000)
    if (code !== 0) throw new Error(`The build in ${cwd} ended with ${code}:\n${stderr}`)
  }
}

/** @param file what is started in the place of its source */
export function toInstalled(program: ChildOptions, file: URL): ChildOptions {
  return { ...program, entry: file, interpreter: '/usr/bin/env' }
}
