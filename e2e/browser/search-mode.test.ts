import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { choose, showView } from '../page-demo.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'

const cleanup = createCleanup()
let stack: Stack
let browser: TestBrowser

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'], bridgeFlags: ['--tools', 'search'] }))
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

scenario(
  ['page/skills'],
  'a skill lists all tools that name it where a list of tools has few, with how to call the rest',
  async () => {
    const { worker } = stack
    const offer = (id: string, pin: boolean) =>
      worker.registerFunction(id, () => 'done', { metadata: { 'mcp.skill': 'till', 'mcp.pin': pin } })
    offer('till::open', true)
    offer('till::close', false)
    await worker.ready()
    await worker.trigger({ function_id: 'skills::register', payload: { id: 'till', skill: '# The till\n' } })
    await using opened = await browser.open(stack.mcpUrl)
    const { page, complaints } = opened
    await showView(page, 'Skills')
    await choose(page, 'The till')
    const tools = page.getByRole('region', { name: 'tools' })
    await tools.getByRole('link', { name: 'till__open' }).waitFor()
    await tools.getByText('till__close', { exact: true }).waitFor()
    expect(await tools.getByRole('listitem').allTextContents()).toEqual([
      'till__close is in no list: call_tool calls it',
      'till__open',
    ])
    await tools.getByRole('link', { name: 'call_tool' }).click()
    await page.getByRole('heading', { name: 'call_tool' }).waitFor()
    expect(complaints).toEqual([])
  },
)
