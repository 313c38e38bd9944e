import { expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { createChanges } from './index.ts'

it('whoever comes to hundreds who watch something of their own costs a look at each of them, and not at each for each', async () => {
  const lists = new Map([['resources', async () => 'r']])
  const changes = createChanges({
    render: lists,
    renderOf: () => async () => 'text',
    mayHear: async () => true,
    refreshTools: async () => undefined,
  })
  let asked = 0
  const count = <T>(answer: T): T => {
    asked += 1
    return answer
  }
  const come = (uri: string) =>
    changes.watch({
      who: () => ({ principal: EVERYBODY, attached: false }),
      wants: (kind) => count(kind === 'resources'),
      isSubscribed: (other) => count(other === uri),
      addresses: () => count([uri]),
      tell: () => undefined,
    })
  for (let at = 0; at < 200; at += 1) come(`iii://functions/f${at}`)
  await changes.ready()
  asked = 0
  come('iii://functions/last')
  await changes.ready()
  expect(asked).toBeLessThan(20 * 200)
  changes.close()
})
