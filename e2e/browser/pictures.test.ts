import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { env } from 'node:process'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const FOLDER = new URL('../../docs/page/', import.meta.url)
const MAX_BYTES = 60_000
const SIZE = { width: 720, height: 400 }

const stage = usePageDemo()

/** What is done in a view before its picture is taken. */
const VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  Connect: (page) => page.getByText('Claude Code', { exact: true }).click(),
  async Tools(page) {
    await choose(page, 'Report on orders')
    await page.getByRole('button', { name: 'Call' }).waitFor()
  },
  async Skills(page) {
    await choose(page, 'Orders')
    await page.getByRole('heading', { name: 'Which tool for which job' }).waitFor()
  },
  async Prompts(page) {
    await choose(page, 'refund-order')
    await page.getByRole('button', { name: 'Get' }).click()
    await page.locator('.result').first().waitFor()
  },
  async Runs(page) {
    await page.locator('.list').getByRole('link', { name: 'orders-summary' }).first().click()
    await page.getByRole('img').waitFor()
  },
}

/** `III_WRITE_PICTURES=1` writes those of the documentation anew. */
scenario(
  ['page/pictures'],
  'the documentation has a small picture of each view, in the light and in the dark',
  async () => {
    const input = { title: 'Today' }
    await stage.worker.trigger({ function_id: 'runs::run_job', payload: { job: 'orders-summary', input } })
    if (env['III_WRITE_PICTURES']) await mkdir(FOLDER, { recursive: true })
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await stage.open({ colorScheme, viewport: SIZE })
      const { page, complaints } = opened
      for (const [view, prepare] of Object.entries(VIEWS)) {
        await showView(page, view)
        await prepare(page)
        const taken = await page.screenshot()
        const file = new URL(`${view.toLowerCase()}-${colorScheme}.png`, FOLDER)
        if (env['III_WRITE_PICTURES']) await writeFile(file, taken)
        const kept = await readFile(file)
        expect([file.pathname, readSize(kept)]).toEqual([file.pathname, readSize(taken)])
        expect([file.pathname, kept.length < MAX_BYTES]).toEqual([file.pathname, true])
      }
      expect(complaints).toEqual([])
    }
  },
)

/** Width and height of a PNG, as its first chunk has them. */
function readSize(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}
