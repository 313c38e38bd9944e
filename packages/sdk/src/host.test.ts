import { homedir, userInfo } from 'node:os'
import { beforeEach, expect, it, vi } from 'vitest'
import { readHost } from './host.ts'

vi.mock('node:os', { spy: true })
beforeEach(() => {
  vi.mocked(userInfo).mockReturnValue({ homedir: '/home/ada' } as ReturnType<typeof userInfo>)
})

function findNobody(): never {
  throw new Error('ENOENT: no such user')
}

it.each(['', 'ada', './ada'])('a home that is no path, as %j, is that of the user', (home) => {
  vi.mocked(homedir).mockReturnValue(home)
  expect(readHost().home).toBe('/home/ada')
})

it('a user that the system does not know has a home all the same', () => {
  vi.mocked(homedir).mockImplementation(findNobody)
  vi.mocked(userInfo).mockImplementation(findNobody)
  expect(readHost().home).toBe('/')
})

it('a home that is set counts', () => {
  vi.mocked(homedir).mockReturnValue('/home/grace')
  expect(readHost().home).toBe('/home/grace')
})
