import { expect, it } from 'vitest'
import { findWithinReach } from './within-reach.ts'

const within = (args: readonly string[], cwd = '/home/me/mcp') =>
  findWithinReach('servers.files', { args, cwd }, '/home/me/mcp').map(({ subject }) => subject)

it('warns of every argument that is a folder in which the file lies', () => {
  const args = ['-y', '@modelcontextprotocol/server-filesystem', '.', '/home/me', '..', '--root=/', './']
  expect(within(args)).toEqual([2, 3, 4, 5, 6].map((at) => `servers.files.args[${at}]`))
  expect(within(['.'], '/srv')).toEqual([])
})

it('lets all others pass', () => {
  expect(within(['./data', '../other', '/home/me/mcp2', '/home/me/mcp/..data', '...', '', '--root', 'mcp'])).toEqual([])
})
