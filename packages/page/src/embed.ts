import { brotliCompressSync } from 'node:zlib'
import type { Plugin } from 'esbuild'
import { buildPage } from './build.ts'

export { buildPage, onlyEnglish } from './build.ts'

const INDEX = /[\\/]packages[\\/]page[\\/]src[\\/]index\.ts$/

/**
 * Puts the page in the place of what makes it: programs of one file have neither its sources nor a bundler. It is packed, since a start reads
 * all of the file, and most starts serve no page.
 */
export const embedPage: Plugin = {
  name: 'embed-page',
  setup: ({ onLoad }) =>
    onLoad({ filter: INDEX }, async () => {
      const { html, policy } = await buildPage()
      const packed = brotliCompressSync(html).toString('base64')
      return {
        contents: `
          export async function loadPage() {
            const { brotliDecompressSync } = await import('node:zlib')
            const html = brotliDecompressSync(Buffer.from(${JSON.stringify(packed)}, 'base64')).toString()
            return { html, policy: ${JSON.stringify(policy)} }
          }`,
      }
    }),
}
