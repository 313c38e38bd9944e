import * as sdk from '@iii/sdk'
import * as callFeed from '@iii/sdk/call-feed'
import * as cli from '@iii/sdk/cli'
import * as processGroup from '@iii/sdk/process-group'
import { expect, it } from 'vitest'
import { runCommand } from '../apps/mcp-bridge/src/testing/command.ts'
import { readCodeBlock, readCodeBlocks, readInline, readPage, readRows } from './pages.ts'

/** Packages that the code of a page imports, without what Node brings. */
function readImported(page: string): string[] {
  const code = readCodeBlocks(page).flatMap(({ language, code: text }) => (/^[jt]s$/.test(language) ? text : []))
  const found = code.flatMap((text) =>
    [...text.matchAll(/^import .* from '([^'.][^']*)'/gm)].map(([, name = '']) => name),
  )
  const packages = found
    .filter((name) => !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
  return [...new Set(packages)].sort()
}

it.each(['mock-engine', 'protocol', 'sdk'])(
  'the README of %s installs what its code imports, each once, and nothing else',
  (name) => {
    const page = readPage(`packages/${name}/README.md`)
    const installs = [...page.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)].flatMap(([, words = '']) =>
      words.split(' '),
    )
    expect(installs.sort()).toEqual(readImported(page))
  },
)

it.each([
  ['packages/sdk/README.md', 'What is in it'],
  ['docs/sdk.md', 'What else is exported'],
  ['docs/worker-commands.md', 'Command lines'],
])('%s names only what the SDK exports, below "%s"', (path, heading) => {
  const cells = readRows(readPage(path), heading).map(([first = '']) => first)
  const named = cells.flatMap(readInline).flatMap((text) => /^(\w+)(?:\(|$)/.exec(text)?.[1] ?? [])
  expect(named.length).toBeGreaterThan(5)
  const exported = { ...sdk, ...callFeed, ...cli }
  expect(named.filter((name) => !(name in exported))).toEqual([])
})

it.each(Object.entries({ sdk, 'sdk/call-feed': callFeed, 'sdk/cli': cli, 'sdk/process-group': processGroup }))(
  'the pages of the SDK name all that @iii/%s exports',
  (_, entry) => {
    const pages = ['packages/sdk/README.md', 'docs/sdk.md', 'docs/worker-commands.md'].map(readPage)
    const code = pages.flatMap((page) => [...readInline(page), ...readCodeBlocks(page).map((block) => block.code)])
    const named = new Set(code.flatMap((text) => text.match(/(?<![\w.])\w+(?=[(.]|$)/g) ?? []))
    expect(Object.keys(entry).filter((name) => !named.has(name))).toEqual([])
  },
)

it('the front page has a client started by one command, at the engine that it names', async () => {
  const page = readPage('README.md')
  const command = /exec iii-mcp (install .*)$/m.exec(readCodeBlock(page, 'sh', 'iii-mcp install'))?.[1] ?? ''
  const words = command.replace(/:\d+$/, ':49135').split(' ') // the usual port would be left out
  const { code, stdout } = await runCommand([...words, '--print'], { host: { script: '/home/ada/workers/mcp' } })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).mcpServers.iii.args.slice(1)).toEqual(words.slice(words.indexOf('--url')))
})
