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
