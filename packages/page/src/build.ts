import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const APP = fileURLToPath(new URL('app/', import.meta.url))

/** `zod` has its messages in all languages, a quarter of a program, and nobody asks for another than its own. */
export const onlyEnglish: Plugin = {
  name: 'only-english',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    })),
}

/** The page that shows in a browser what agents see. */
export interface Page {
  /** One text, with script and style inside. */
  readonly html: string
  /** Its Content-Security-Policy. */
  readonly policy: string
}

/** The page, and the files that it was made of. */
export interface BuiltPage extends Page {
  readonly inputs: readonly string[]
}

/** Makes the page out of its sources: one text with script and style inside, and the policy that lets those two run and nothing else. */
export async function buildPage(): Promise<BuiltPage> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: APP,
    entryPoints: [`${APP}main.tsx`, `${APP}style.css`],
    outdir: '/',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // A policy without `eval` is broken by asking for it.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [onlyEnglish],
    logLevel: 'silent',
  })
  const read = (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? ''
  // Within an element, only its end could end it.
  const script = read('.js').replaceAll('</script', '<\\/script')
  const style = read('.css').replaceAll('</style', '<\\/style')
  const inputs = Object.keys(metafile.inputs).map((path) => join(APP, path))
  return { html: toHtml(script, style), policy: toPolicy(script, style), inputs }
}

function toHtml(script: string, style: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>iii</title>',
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page is an MCP client, and needs JavaScript.</noscript>',
    `<script type="module">${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function toPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${toHash(script)}`,
    // Preact sets lengths on elements through the object model, which this lets it do.
    `style-src ${toHash(style)}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function toHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
