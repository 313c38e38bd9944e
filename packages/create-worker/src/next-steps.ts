import { toShellWord } from '@iii/sdk/cli'

/** Package managers that start `create` packages, as they call themselves. */
const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const

/** @param agent `npm_config_user_agent` @returns the name of the package manager that runs this */
export function toPackageManager(agent: string | undefined): (typeof MANAGERS)[number] {
  return MANAGERS.find((name) => agent?.startsWith(`${name}/`)) ?? 'npm'
}

/** What somebody does with a project that has just been written. @param folder as they reach it from where they are; '' when they are in it */
export function formatNextSteps(name: string, folder: string, manager: string): string {
  const run = manager === 'yarn' ? 'yarn' : `${manager} run`
  const steps = [
    ...(folder === '' ? [] : [`cd ${toShellWord(folder)}`]),
    `${manager} install`,
    `${run} test`,
    `${run} engine      # an engine for development, in a terminal of its own`,
    `${run} start       # the worker, in another`,
  ]
  return `The worker ${name} is in ${folder === '' ? 'this folder' : folder}. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}`
}
