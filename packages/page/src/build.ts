import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

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

/** Makes the page out of its sources: one text with scripts and style inside, and the policy that lets those run and nothing else. */
export async function buildPage(): Promise<BuiltPage> {
  const [app, client] = await Promise.all([
    compile({ entryPoints: ['main.tsx', 'style.css'], format: 'esm' }),
    compile({ entryPoints: ['client.ts'], format: 'iife', globalName: 'mcpClient' }),
  ])
  // Within an element, only its end could end it.
  const script = app.read('.js').replaceAll('</script', '<\\/script')
  const style = app.read('.css').replaceAll('</style', '<\\/style')
  const later = client.read('.js').replaceAll('</script', '<\\/script')
  const inputs = [...new Set([...app.inputs, ...client.inputs])]
  return { html: toHtml(script, later, style), policy: toPolicy([script, later], style), inputs }
}

async function compile(options: Pick<BuildOptions, 'entryPoints' | 'format' | 'globalName'>) {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: APP,
    outdir: '/',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
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
  return {
    read: (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? '',
    inputs: Object.keys(metafile.inputs).map((path) => join(APP, path)),
  }
}

/** @param later a program that the page runs when it has been painted; as the text that it is until then, nothing is compiled */
function toHtml(script: string, later: string, style: string): string {
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
    '<p class="status">Connecting …</p>',
    `<script type="module">${script}</script>`,
    `<script type="text/plain" id="mcp-client">${later}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function toPolicy(scripts: readonly string[], style: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(toHash).join(' ')}`,
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
