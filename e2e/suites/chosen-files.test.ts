import { expect, it } from 'vitest'
import { chooseFiles, listTestFiles } from './chosen-files.ts'

const FILES = ['e2e/python/canned-prompts.test.ts', 'e2e/python/python-sdk.test.ts']

it('words choose files by their paths, and each has to choose one', () => {
  expect(chooseFiles(FILES, [])).toEqual(FILES)
  expect(chooseFiles(FILES, ['Canned'])).toEqual([FILES[0]])
  expect(chooseFiles(FILES, ['sdk', 'canned'])).toEqual(FILES)
  expect(() => chooseFiles(FILES, ['canned', 'ruby', 'perl'])).toThrow(
    `No file has ruby or perl in its name: there are ${FILES.join(', ')}`,
  )
})

it('the files of a folder are its tests', () => {
  expect(listTestFiles('e2e/python')).toContain('e2e/python/python-sdk.test.ts')
  expect(listTestFiles('e2e/python').every((file) => file.endsWith('.test.ts'))).toBe(true)
})
