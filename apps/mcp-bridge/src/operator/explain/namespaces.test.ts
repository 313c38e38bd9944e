import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { runCommand } from '../../testing/command.ts'

const log = createLog({ name: 'test', level: 'silent' })

it('explain says what lies in other namespaces, and how to show it', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using here = registerWorker(engine.url, { name: 'here', log })
  await using there = registerWorker(engine.url, { name: 'there', namespace: 'orders', log })
  here.registerFunction('shop::sell', () => 1)
  for (const id of ['shop::sell', 'shop::there']) there.registerFunction(id, () => 1)
  await Promise.all([here.ready({ timeoutMs: 5_000 }), there.ready({ timeoutMs: 5_000 })])
  const run = (...argv: string[]) => runCommand(['explain', ...argv], { env: { III_URL: engine.url } })

  const narrow = await run()
  expect(narrow.stdout).toMatch(/^shop::sell +shop__sell/m)
  expect(narrow.stdout).not.toContain('orders')
  const missing = await run('shop::there')
  expect([missing.code, missing.stderr]).toEqual([
    3,
    expect.stringContaining("in the namespace 'orders', which this bridge does not show; --namespaces orders would"),
  ])

  const wide = ['--namespaces', 'orders']
  expect((await run(...wide)).stdout).toMatch(/^shop::sell \(in orders\) +orders___shop__sell/m)
  for (const name of ['orders___shop__there', 'iii://fn/@orders/shop/there']) {
    const { code, stdout } = await run(name, ...wide, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      settings: { namespaces: ['orders'] },
      function_id: 'shop::there',
      namespace: 'orders',
      tool: { name: 'orders___shop__there', shown: true },
      section: { uri: 'iii://fn/@orders/shop/there', shown: true },
    })
  }
})

it('explain finds an id in the other namespaces that are shown, and says where several have it', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using there = registerWorker(engine.url, { name: 'there', namespace: 'orders', log })
  await using far = registerWorker(engine.url, { name: 'far', namespace: 'far', log })
  for (const id of ['shop::there', 'shop::both', 'compose::up']) there.registerFunction(id, () => 1)
  far.registerFunction('shop::both', () => 1)
  await Promise.all([there, far].map((worker) => worker.ready({ timeoutMs: 5_000 })))
  const run = (...argv: string[]) => runCommand(['explain', ...argv], { env: { III_URL: engine.url } })

  const { code, stdout } = await run('shop::there', '--namespaces', '*', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ function_id: 'shop::there', namespace: 'orders' })
  for (const [argv, text] of [
    [
      ['shop::both', '--namespaces', '*'],
      'is in several namespaces: name one of its tools, far___shop__both or orders___shop__both',
    ],
    [
      ['shop::both'],
      "in the namespaces 'far', 'orders', which this bridge does not show; --namespaces far,orders would",
    ],
    [['compose::up'], "in the namespace 'orders', and its first segment is internal: no bridge shows it"],
  ] as const) {
    const missing = await run(...argv)
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining(text)])
  }
  const hidden = await run('compose::up', '--namespaces', 'orders')
  expect([hidden.code, hidden.stdout]).toEqual([1, expect.stringContaining('compose::up')])
})

it('explain says in which namespace the bridge is', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  const run = (...argv: string[]) => runCommand(['explain', ...argv], { env: { III_URL: engine.url } })
  expect((await run()).stdout).toMatch(/^0 of 0 functions are tools$/m)
  expect((await run('--namespace', 'orders')).stdout).toMatch(
    /^0 of 0 functions are tools of a bridge in the namespace 'orders'$/m,
  )
  for (const [argv, namespace] of [
    [[], 'default'],
    [['--namespace', 'orders'], 'orders'],
  ] as const) {
    expect(JSON.parse((await run('--json', ...argv)).stdout)).toMatchObject({ settings: { namespace } })
  }
})
