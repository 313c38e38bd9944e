import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '@iii/sdk/cli'
import { toPlainJavaScript } from './plain.ts'

export type ProjectLanguage = 'typescript' | 'javascript'

/** A file of a project, as it is written. */
export interface ProjectFile {
  /** Relative, with `/`. */
  readonly path: string
  readonly text: string
}

/** What the worker of the template is called. */
const TEMPLATE_NAME = /hello/g

/** npm takes files of this name out of packages. */
const GITIGNORE = 'gitignore'

/** A repository may be there before its first file. */
const NOTHING = ['.git', '.DS_Store']

/** @param template absolute path of the folder with the templates */
export function readTemplate(template: string, name: string, language: ProjectLanguage): ProjectFile[] {
  const named = (text: string) => text.replace(TEMPLATE_NAME, name)
  const read = (part: string) => {
    const folder = join(template, part)
    return listFiles(folder).map((path) => ({ path, text: named(readFileSync(join(folder, path), 'utf8')) }))
  }
  const files = ['shared', language].flatMap(read)
  if (language === 'javascript') files.push(...read('typescript').filter(isSource).map(toPlainFile))
  return files.map(({ path, text }) => ({ path: named(path).replace(GITIGNORE, `.${GITIGNORE}`), text }))
}

function isSource({ path }: ProjectFile): boolean {
  return path.endsWith('.ts')
}

function toPlainFile({ path, text }: ProjectFile): ProjectFile {
  return { path: path.replace(/\.ts$/, '.js'), text: toPlainJavaScript(text) }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? listFiles(join(folder, entry.name)).map((path) => `${entry.name}/${path}`) : [entry.name],
  )
}

/** @throws Error that says what is in a folder that is not empty */
export async function writeProject(folder: string, files: readonly ProjectFile[]): Promise<void> {
  const isThere = existsSync(folder)
  if (isThere && !statSync(folder).isDirectory()) throw new Error(`${folder} is a file. Name another folder`)
  const present = isThere ? readdirSync(folder).filter((entry) => !NOTHING.includes(entry)) : []
  if (present.length > 0) throw new Error(`${folder} is not empty: it has ${listSome(present)}. Name another folder`)
  for (const { path, text } of files) {
    await makeFolder(dirname(join(folder, path)))
    await writeFile(join(folder, path), text)
  }
}

const SHOWN = 3

function listSome(entries: readonly string[]): string {
  const rest = entries.length - SHOWN
  return `${entries.slice(0, SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
