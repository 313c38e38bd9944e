import type { BuildOptions, Plugin } from 'esbuild'

/** `zod` has its messages in all languages, a quarter of a program, and nobody asks for another than its own. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    })),
}

/** How sources and what they need become one file. Names stay: they are read by people, and a file without them starts no sooner. */
export const ONE_FILE = {
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  conditions: ['@iii/source'],
  // What is written for loaders of modules that tell their files apart when they run cannot be put into one.
  mainFields: ['module', 'main'],
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  plugins: [onlyEnglish],
} as const satisfies BuildOptions
