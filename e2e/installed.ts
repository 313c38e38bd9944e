import { fileURLToPath } from 'node:url'
import { type ChildOptions, runToEnd } from './child.ts'

/** Programs as they are installed: one file, which starts itself. */

const BUILD = new URL('../packages/packaging/src/build.ts', import.meta.url)
const toFile = (app: string) => new URL(`../apps/${app}/bundle/index.mjs`, import.meta.url)

export const INSTALLED = {
  bridge: toFile('mcp-bridge'),
  skills: toFile('skills-registry'),
  runs: toFile('run-records'),
  mcpClient: toFile('mcp-client'),
} as const

/** Makes them from the sources as they are now. */
export async function buildInstalled(names: readonly (keyof typeof INSTALLED)[]): Promise<void> {
  for (const name of names) {
    const cwd = fileURLToPath(new URL('..', INSTALLED[name]))
    const { code, stderr } = await runToEnd({ name: 'build', entry: BUILD, cwd }, 60_000)
    if (code !== 0) throw new Error(`The build in ${cwd} ended with ${code}:\n${stderr}`)
  }
}

/** @param file what is started in the place of its source */
export function toInstalled(program: ChildOptions, file: URL): ChildOptions {
  return { ...program, entry: file, interpreter: '/usr/bin/env' }
}
