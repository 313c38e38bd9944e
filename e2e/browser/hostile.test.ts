import { HOSTILE_TEXTS } from '@iii/page/testing'
import type { Worker } from '@iii/sdk'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const NAMES = Object.keys(HOSTILE_TEXTS)
const stage = usePageDemo(offerHostile)

scenario(['page/hostile'], 'what a hostile worker says runs nothing, loads nothing and breaks no layout', async () => {
  await registerHostile()
  await using opened = await stage.open()
  const { page, complaints } = opened
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    await page.goto(`${stage.demo.mcpUrl}#/tools/hostile__${name}`)
    await page.getByRole('heading', { level: 2 }).waitFor()
    await page.getByText('What it takes').click()
    await page.getByRole('button', { name: 'Call' }).click()
    await page.locator('.result').waitFor()
    expect([name, await page.locator('.result').textContent()]).toEqual([name, expect.stringContaining(firstOf(text))])
    await expectWhole(page, `tool ${name}`)
  }
  await showView(page, 'Skills')
  for (const name of NAMES) {
    const uri = `iii://hostile-${name}`
    await page.goto(`${stage.demo.mcpUrl}#/skills/${encodeURIComponent(uri)}`)
    await page.getByText(uri, { exact: true }).waitFor()
    await page.locator('.markdown').waitFor({ state: 'attached' })
    await expectWhole(page, `skill ${name}`)
  }
  await showView(page, 'Prompts')
  for (const name of NAMES) {
    await page.goto(`${stage.demo.mcpUrl}#/prompts/hostile-${name}`)
    await page.getByRole('button', { name: 'Get' }).click()
    await page.locator('.result').waitFor()
    await expectWhole(page, `prompt ${name}`)
  }
  await showView(page, 'Messages')
  await page.locator('summary').first().click()
  await expectWhole(page, 'messages')
  expect(complaints).toEqual([])
})

/** A worker whose every text is hostile. */
function offerHostile(worker: Worker): void {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const cut = text.slice(0, 4_000)
    const property = { type: 'string', title: text, description: text, default: cut }
    worker.registerFunction(
      `hostile::${name}`,
      () => ({
        content: [
          { type: 'text', text },
          { type: 'resource_link', uri: 'javascript:globalThis.harmed=1', name: cut },
        ],
      }),
      {
        description: text,
        request_format: { type: 'object', properties: { [cut.slice(0, 100)]: property, text: property } },
        metadata: { 'mcp.expose': true, 'mcp.title': cut },
      },
    )
    worker.registerFunction(`hostile::${name}_prompt`, () => ({ content: text }), { metadata: { 'mcp.expose': false } })
  }
}

async function registerHostile(): Promise<void> {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const skill = `# ${text.slice(0, 200)}\n\n${text}\n`
    await stage.worker.trigger({ function_id: 'skills::register', payload: { id: `hostile-${name}`, skill } })
    await stage.worker.trigger({
      function_id: 'prompts::register',
      payload: {
        name: `hostile-${name}`,
        description: text.slice(0, 200),
        function_id: `hostile::${name}_prompt`,
        arguments: [{ name: 'text', description: text.slice(0, 200), required: false }],
      },
    })
  }
}

/** The beginning of a text, as it is compared. */
function firstOf(text: string): string {
  return text.slice(0, 50)
}

/** Nothing ran, and the page has its width and its header. */
async function expectWhole(page: Page, where: string): Promise<void> {
  const seen = await page.evaluate<object>(`({
    harmed: globalThis.harmed ?? null,
    tooWide: document.documentElement.scrollWidth - innerWidth > 0,
    header: getComputedStyle(document.querySelector('header')).display,
    covered: document.elementFromPoint(20, 20)?.closest('header') === null,
  })`)
  expect([where, seen]).toEqual([where, { harmed: null, tooWide: false, header: 'flex', covered: false }])
}
