import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import * as protocol from './index.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

async function bundle(options: BuildOptions): Promise<string> {
  // For the browser: a Node built-in anywhere in it would not resolve.
  const common: BuildOptions = { bundle: true, minify: true, platform: 'browser', write: false, logLevel: 'silent' }
  const { outputFiles } = await build({ ...common, entryPoints: [here('index.ts')], ...options })
  return outputFiles?.[0]?.text ?? ''
}

describe('the package', () => {
  it('runs where there is nothing but the language', async () => {
    const script = await bundle({ format: 'iife', globalName: 'protocol' })
    const name: unknown = runInNewContext(`${script};
      const uri = protocol.parseUri('iii://fn/orders/create')
      protocol.formatToolName(uri.functionId) + ' ' + protocol.skillsFunctions.list.request.safeParse({}).success`)
    expect(name).toBe('orders__create true')
  })

  it('is under 16 kB without zod', async () => {
    const script = await bundle({ format: 'esm', external: ['zod'] })
    expect(gzipSync(script).length).toBeLessThan(16_000)
  })

  it('costs a page that only reads addresses under 3 kB', async () => {
    const contents = `export { parseUri, formatToolName } from './index.ts'`
    const script = await bundle({
      entryPoints: [],
      stdin: { contents, resolveDir: here('.') },
      format: 'esm',
      treeShaking: true,
      external: ['zod'],
    })
    expect(gzipSync(script).length).toBeLessThan(3000)
  })

  it('has every export in its README', async () => {
    const readme = await readFile(here('../README.md'), 'utf8')
    const missing = Object.keys(protocol).filter(
      (name) => !readme.includes(`\`${name}\``) && !readme.includes(`\`${name}(`),
    )
    expect(missing).toEqual([])
  })
})
