import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parseCreateCommand } from './command.ts'

const parse = (...words: string[]) => parseCreateCommand(words, '1.2.3', (said) => resolve('/home/ada', said))

it('says where a worker goes, what it is called and in which language it is', () => {
  const create = { run: 'create', folder: '/home/ada/hello', name: 'hello', language: 'typescript' }
  expect(parse()).toEqual(create)
  expect(parse('work/tea', '--js')).toEqual({
    ...create,
    folder: '/home/ada/work/tea',
    name: 'tea',
    language: 'javascript',
  })
  expect(parse('.', '--name', 'tea')).toEqual({ ...create, folder: '/home/ada', name: 'tea' })
  expect(parse('.')).toEqual({ ...create, folder: '/home/ada', name: 'ada' })
})

it('prints help and version', () => {
  expect(parse('--help')).toMatchObject({ run: 'print', text: expect.stringContaining('--js') })
  expect(parse('-h')).toEqual(parse('--help'))
  expect(parse('--version')).toEqual({ run: 'print', text: '1.2.3\n' })
})

it.each([
  [['Tea'], "'Tea' cannot be the name of a worker: it has to be lower-case"],
  [['Tea'], 'with --name NAME'],
  [['--name', 'state'], "'state' cannot be the name"],
  [['tea', 'house'], "one folder, and not 'house' as well"],
  [[''], 'the word for the folder is empty'],
  [['--jss'], 'unknown option --jss; did you mean --js? --help lists'],
  [['--name'], '--name needs a value. --help lists'],
])('refuses %j', (words, text) => {
  expect(parse(...words)).toEqual({ run: 'refuse', text: expect.stringContaining(text) })
})
