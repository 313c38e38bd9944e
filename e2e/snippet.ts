import { symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Child, startChild } from './child.ts'
import { createTempFolder } from './stack.ts'

/** Code that the bridge prints in its prompts, run by somebody who copies it into an empty folder. */

const PACKAGES = fileURLToPath(new URL('./node_modules', import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const lifeline = new URL('./lifeline.ts', import.meta.url).href
/** How Node finds our packages without a build, and ends when we do. */
const NODE_OPTIONS = `--conditions=@iii/source --import ${tsx} --import ${lifeline}`

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
  await symlink(PACKAGES, join(folder.path, 'node_modules'))
  const env = { III_URL: engineUrl, ...(interpreter === undefined ? { NODE_OPTIONS } : {}) }
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
