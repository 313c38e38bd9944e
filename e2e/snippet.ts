import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import { type Child, startChild } from './child.ts'
import { createTempFolder } from './stack.ts'

/** Code that the bridge prints in its prompts, run by somebody who copies it into an empty folder. */

/** What ends a worker when we do. */
const LIFELINE = inject('nodeArgs')['e2e/lifeline.ts'].at(-1)
/** The official SDK is installed for tests. */
const OFFICIAL = fileURLToPath(new URL('./node_modules/iii-sdk', import.meta.url))

/** The one piece of code in this language that a text has. */
export function readCode(text: string, language: string): string {
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].filter(([, name]) => name === language)
  const [, , code] = blocks[0] ?? []
  if (code === undefined || blocks.length > 1) throw new Error(`${blocks.length} pieces of ${language} in:\n${text}`)
  return code
}

export interface Snippet extends AsyncDisposable {
  readonly child: Child
}

export interface SnippetOptions {
  readonly file: 'worker.mjs' | 'worker.py'
  readonly code: string
  readonly engineUrl: string
  /** @default this Node */
  readonly interpreter?: string
}

export async function runSnippet({ file, code, engineUrl, interpreter }: SnippetOptions): Promise<Snippet> {
  const folder = await createTempFolder()
  const path = join(folder.path, file)
  await writeFile(path, code)
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(join(inject('installed'), 'node_modules/@iii'), join(folder.path, 'node_modules/@iii'))
  await symlink(OFFICIAL, join(folder.path, 'node_modules/iii-sdk'))
  const env = { III_URL: engineUrl, ...(interpreter === undefined ? { NODE_OPTIONS: `--import ${LIFELINE}` } : {}) }
  const program = { name: file, entry: pathToFileURL(path), cwd: folder.path, env }
  const child = startChild(interpreter === undefined ? program : { ...program, interpreter })
  return {
    child,
    async [Symbol.asyncDispose]() {
      await child.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}
