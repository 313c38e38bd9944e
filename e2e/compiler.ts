import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runToEnd } from './child.ts'

/** For a test that compiles, on a busy machine. */
export const COMPILE_MS = 120_000

const require = createRequire(import.meta.url)
/** TypeScript as those have it who compile against our packages: by its manifest. */
const COMPILERS = {
  oldest: require.resolve('typescript-oldest/package.json'),
  current: require.resolve('typescript/package.json'),
  newest: require.resolve('typescript-newest/package.json'),
}
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
}

/** What a compiler says against files of a project, as text; empty where it has nothing against them. */
export async function compile(
  compiler: keyof typeof COMPILERS,
  { folder, files, options }: { folder: string; files: readonly string[]; options: object },
): Promise<string> {
  const config = join(folder, 'tsconfig.json')
  await writeFile(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }))
  const entry = pathToFileURL(join(COMPILERS[compiler], '../bin/tsc'))
  const args = ['-p', config, '--pretty', 'false']
  const { stdout, stderr } = await runToEnd({ name: 'tsc', entry, args, cwd: folder }, COMPILE_MS)
  return [stdout, stderr].filter((text) => text !== '').join('\n')
}
