import type { Plugin } from 'esbuild'
import { buildPage } from './build.ts'

export { buildPage, onlyEnglish } from './build.ts'

const INDEX = /[\\/]packages[\\/]page[\\/]src[\\/]index\.ts$/

/** Puts the page, ready to be served, in the place of what makes it: programs of one file have neither its sources nor a bundler. */
export const embedPage: Plugin = {
  name: 'embed-page',
  setup: ({ onLoad }) =>
    onLoad({ filter: INDEX }, async () => {
      const { html, policy } = await buildPage()
      return {
        contents: `const page = ${JSON.stringify({ html, policy })}; export async function loadPage() { return page }`,
      }
    }),
}
