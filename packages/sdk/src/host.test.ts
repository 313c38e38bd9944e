import { expect, it } from 'vitest'
import { findFolder, findHome } from './host.ts'

const findAda = () => '/home/ada'

function findNobody(): never {
  throw new Error('ENOENT: no such user')
}

it.each(['', 'ada', './ada'])('a home that is no path, as %j, is that of the user', (home) => {
  expect(findHome([() => home, findAda])).toBe('/home/ada')
})

it('a user that the system does not know has a home all the same', () => {
  expect(findHome([findNobody, findNobody])).toBe('/')
})

it('a home that is set counts', () => {
  expect(findHome([() => '/home/grace', findAda])).toBe('/home/grace')
})

it('a folder that is gone ends no program that was started in it', () => {
  expect(findFolder(findNobody)).toBe('/')
  expect(findFolder()).toBe(process.cwd())
})
