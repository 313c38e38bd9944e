import { ONE_FILE } from '@iii/pack-worker'
import { onlyEnglish } from '@iii/page/embed'
import type { BuildOptions, Plugin } from 'esbuild'

/**
 * What the official MCP client loads for others: checks of output with ajv, where nobody brings another check, and schemas of zod 3. Ours brings
 * one and has none, so both would only be carried along.
 */
const withoutIdleParts: Plugin = {
  name: 'without-idle-parts',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]sdk[\\/].*[\\/]ajv-provider\.js$/ }, () => ({
      contents: absent('export function AjvJsonSchemaValidator()', 'checks of output'),
    }))
    onResolve({ filter: /^zod\/v3$/ }, ({ importer }) =>
      /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/.test(importer) ? { path: 'zod-3', namespace: 'idle' } : undefined,
    )
    onLoad({ filter: /^zod-3$/, namespace: 'idle' }, () => ({
      contents: absent('export function object()', 'schemas of zod 3'),
    }))
  },
}

function absent(what: string, name: string): string {
  return `${what} { throw new Error('${name} are no part of this program') }`
}

/** How our sources become one file. Names stay: they are read by people, and a file without them starts no sooner. */
export const ONE_SMALL_FILE = {
  ...ONE_FILE,
  conditions: ['@iii/source'],
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [onlyEnglish, withoutIdleParts],
} as const satisfies BuildOptions
