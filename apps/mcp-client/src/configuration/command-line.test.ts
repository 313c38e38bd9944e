import { describe, expect, it } from 'vitest'
import { explainCommand } from './command-line.ts'

describe('a command', () => {
  it('is not repeated where a secret may stand in it', () => {
    const text = explainCommand('GITHUB_TOKEN=hunter2 npx server --token hunter2')
    expect(text).toMatch(/^is a line for a shell.* variables stand in env\.set$/)
    expect(text).not.toContain('hunter2')
  })

  it.each(['npx', '/opt/my servers/bin/server', './my server/run.sh', 'C++', '@scope'])('may be %s', (command) => {
    expect(explainCommand(command)).toBeUndefined()
  })

  it.each([
    '/usr/bin/node server.js',
    '/usr/bin/node /srv/server.js',
    'sh -c "x"',
    'x\ny',
    'a>b',
    '$(which x)',
    'a && b',
  ])('is no line for a shell: %s', (command) => {
    expect(explainCommand(command)).toMatch(/^is a line for a shell/)
  })
})
