import { expect, it } from 'vitest'
import { parsePackCommand } from './command.ts'

const parse = (...words: string[]) => parsePackCommand(words, '1.2.3')

it('takes what can be set', () => {
  const options = { main: undefined, out: 'archives', isStarted: true, baseUrl: undefined }
  expect(parse()).toEqual({ run: 'pack', options })
  const baseUrl = 'https://example.com/files'
  expect(parse('--main', 'a.ts', '--out=x', '--no-start', '--base-url', baseUrl)).toEqual({
    run: 'pack',
    options: { main: 'a.ts', out: 'x', isStarted: false, baseUrl },
  })
})

it('prints help and version', () => {
  expect(parse('-h')).toEqual({ run: 'print', text: expect.stringContaining('--base-url URL') })
  expect(parse('--help')).toEqual(parse('-h'))
  expect(parse('--version')).toEqual({ run: 'print', text: '1.2.3\n' })
})

it.each([
  [['--ot', 'x'], 'unknown option --ot; did you mean --out?'],
  [['--out'], '--out needs a value'],
  [['--out='], '--out needs a value'],
  [['--main', ''], '--main needs a value'],
  [
    ['--base-url', 'example.com'],
    "--base-url takes an address, such as https://example.com/files, and not 'example.com'",
  ],
  [['tea'], "'tea' is too much"],
])('refuses %j', (words, says) => {
  expect(parse(...words)).toEqual({
    run: 'refuse',
    text: `iii-pack-worker: ${says}\n--help lists what can be set\n`,
  })
})
