import { expect, it } from 'vitest'
import { createStarter } from './assemble.ts'
import { toConfig } from './testing/server-config.ts'

it('a secret among the arguments of a server is taken out of what it says, as one of its environment is', async () => {
  const starter = createStarter({
    env: { GH: 'gh-hunter2' },
    platform: 'linux',
    client: { name: 'test', version: '0' },
  })
  const set = new Map([['TOKEN', { kind: 'env' as const, name: 'GH' }]])
  const { filter } = await starter.prepare(
    toConfig({ args: ['--token', 'hunter3'], environment: { inherit: [], set } }),
  )
  expect(filter.text('started with --token hunter3 and gh-hunter2')).toBe('started with --token <secret> and <secret>')
})
