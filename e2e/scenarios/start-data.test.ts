import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { type Demo, expectAllGone, FREE_PORTS, startDemo, startProgram } from '../demo.ts'
import { requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'

const cleanup = createCleanup()
let home: string
let data: string
let demo: Demo

beforeAll(async () => {
  home = cleanup.use(await createTempFolder()).path
  data = join(home, 'data')
  demo = cleanup.use(await startDemo([...FREE_PORTS, '--data', data]))
})
afterAll(() => cleanup.run())

async function createOrder(customer: string): Promise<void> {
  const order = { customer, currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price: 1 }] }
  const result = await requestOnce(demo.mcpUrl, 'tools/call', { name: 'orders__create', arguments: order })
  expect(result).toMatchObject({ structuredContent: { status: 'open', total: 1 } })
}

/** A `start` that gives up, and how soon. */
async function startInVain(folder: string): Promise<{ stderr: string }> {
  const { code, stdout, stderr } = await runToEnd(startProgram([...FREE_PORTS, '--data', folder]), 20_000)
  expect({ code, end: stdout.split('\n').at(-1) }).toEqual({ code: 1, end: 'Stopped.' })
  expect(stderr).not.toMatch(/^ +at /m)
  return { stderr }
}

scenario(['start/data-lost'], 'a folder that cannot be had is named at once, with the reason', async () => {
  const file = join(home, 'file')
  await writeFile(file, '')
  const reasons: [string, string][] = [
    [file, `${file} is a file`],
    [join(file, 'below'), 'ENOTDIR: not a directory'],
    // Linux refuses this one as if its parent were missing.
    ['/proc/x', 'E'],
  ]
  for (const [folder, reason] of reasons) {
    const { stderr } = await startInVain(folder)
    expect(stderr).toContain(`The engine ended: state cannot be kept in the folder ${folder}: ${reason}`)
  }
})

scenario(['start/data-locked'], 'a second start on the same folder says who has it', async () => {
  const { stderr } = await startInVain(data)
  const [, engine = ''] = /engine +process (\d+)/.exec(demo.child.stdout.join('\n')) ?? []
  expect(stderr).toContain(`The engine ended: state cannot be kept in the folder ${data}: process ${engine} keeps`)
  await createOrder('still served')
})

scenario(['start/data-lost'], 'what is stored is for the eyes of its owner', async () => {
  await createOrder('Ada')
  const modes = await Promise.all(
    (await readdir(data)).map(async (name) => (await stat(join(data, name))).mode & 0o777),
  )
  expect(modes.length).toBeGreaterThan(1)
  expect(new Set(modes)).toEqual(new Set([0o600]))
  expect((await stat(data)).mode & 0o777).toBe(0o700)
})

scenario(
  ['start/data-lost'],
  'a folder that becomes a file is told while it runs, and what is lost at the end',
  async () => {
    await rename(data, join(home, 'first'))
    await writeFile(data, '')
    await createOrder('lost')
    const said = `The engine says: state cannot be written to ${data} (${data} is a file); trying again`
    await demo.child.line(/^The engine says: state cannot be written/)
    expect(demo.child.running).toBe(true)
    demo.child.signal('SIGINT')
    expect(await demo.child.exited).toEqual({ code: 1, signal: null })
    const lost = `state was not written to ${data} (${data} is a file): what is not in there is lost`
    expect(demo.child.stderr).toEqual([said, lost])
    expect(demo.child.stdout.at(-1)).toBe('Stopped.')
    await expectAllGone(demo)
  },
)

scenario(['start/data'], 'a folder that is removed while it runs is there again with everything', async () => {
  await rm(data)
  demo = cleanup.use(await startDemo([...FREE_PORTS, '--data', data]))
  await createOrder('before')
  await rename(data, join(home, 'second'))
  await createOrder('after')
  demo.child.signal('SIGINT')
  expect(await demo.child.exited).toEqual({ code: 0, signal: null })
  demo = cleanup.use(await startDemo([...FREE_PORTS, '--data', data]))
  const orders = await requestOnce(demo.mcpUrl, 'tools/call', { name: 'orders__list', arguments: {} })
  expect(orders).toMatchObject({ structuredContent: { total: 2 } })
})
