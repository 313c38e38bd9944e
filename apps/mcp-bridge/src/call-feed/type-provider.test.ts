import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createTypeProvider } from './type-provider.ts'

function stage(answers: (() => Promise<boolean>)[]) {
  const provide = vi.fn()
  const asked = vi.fn(() => (answers.shift() ?? (async () => true))())
  const onUntold = vi.fn()
  return { provide, asked, onUntold, provider: createTypeProvider({ isProvided: asked, provide, onUntold }) }
}

it('a type that nobody provides after a moment either is provided once, however often that was seen', async () => {
  const { provide, asked, provider } = stage([async () => false])
  provider.provideSoon()
  provider.provideSoon()
  await vi.waitFor(() => expect(provide).toHaveBeenCalledOnce())
  expect(asked).toHaveBeenCalledOnce()
})

const untold = new Error('it has left')
it.each([
  ['somebody provides meanwhile', async () => true, []],
  ['the engine does not tell of', () => Promise.reject(untold), [[untold]]],
])('a type that %s is left alone, until it is seen to be nobody’s again', async (_, answer, told) => {
  const { provide, asked, onUntold, provider } = stage([answer, async () => false])
  provider.provideSoon()
  await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce())
  expect(provide).not.toHaveBeenCalled()
  provider.provideSoon()
  await vi.waitFor(() => expect(provide).toHaveBeenCalledOnce())
  expect(onUntold.mock.calls).toEqual(told)
})

it('nobody provides a type while leaving', async () => {
  const answers: ((isProvided: boolean) => void)[] = []
  const { provide, asked, provider } = stage([() => new Promise((resolve) => answers.push(resolve))])
  provider.provideSoon()
  await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce())
  provider.close()
  answers[0]?.(false)
  await setImmediate()
  expect(provide).not.toHaveBeenCalled()
})
