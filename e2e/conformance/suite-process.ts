/** The official conformance suite as a process: its own command line, on every Node that this repository supports. */
import fs from 'node:fs'
import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Node has it since 22. The suite imports it by name, and needs it for nothing that it does to servers. */
const MISSING = 'globSync'

/** `fs` as the suite wants to import it. */
const fsWithGlob = toModule(`
  export { default } from 'node:fs'
  export * from 'node:fs'
  export function ${MISSING}() { throw new Error('fs.${MISSING} needs Node 22') }
`)

/** Leads the suite, and nobody else, to that module. */
const hooks = toModule(`
  export async function resolve(specifier, context, next) {
    const bySuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    return specifier === 'fs' && bySuite ? { url: ${JSON.stringify(fsWithGlob)}, shortCircuit: true } : next(specifier, context)
  }
`)

if (!(MISSING in fs)) register(hooks)
const require = createRequire(import.meta.url)
await import(pathToFileURL(require.resolve('@modelcontextprotocol/conformance/dist/index.js')).href)

function toModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
