import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { toNodeArgs } from './built.ts'
import { type ChildOptions, runToEnd } from './child.ts'

/** Programs as they are installed: one file, which starts itself. */

const BUILD = new URL('../packages/packaging/src/build.ts', import.meta.url)
const LIFELINE = new URL('./installed-lifeline.ts', import.meta.url)
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

/** It ends with this process, like all that runs from source. @param file what is started in the place of its source */
export function toInstalled(program: ChildOptions, file: URL): ChildOptions {
  const lifeline = pathToFileURL(toNodeArgs(LIFELINE).at(-1) ?? '')
  const options = [program.env?.['NODE_OPTIONS'], `--import ${lifeline.href}`].filter(Boolean).join(' ')
  const env = { ...program.env, LIFELINE_OF: String(process.pid), NODE_OPTIONS: options }
  return { ...program, env, entry: file, interpreter: '/usr/bin/env' }
}
