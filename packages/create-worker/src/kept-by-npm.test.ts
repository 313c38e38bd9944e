import { expect, it } from 'vitest'
import { explainKeptByNpm } from './kept-by-npm.ts'

const npm = { npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false' }

it.each([
  [
    ['tea'],
    { npm_config_json: 'true' },
    '--js to itself unless it stands behind --: npm create iii-worker tea -- --js',
  ],
  [['tea'], { npm_config_js: 'true' }, 'npm create iii-worker tea -- --js'],
  [
    ['tea'],
    { npm_config_name: 'oolong' },
    '--name to itself unless it stands behind --: npm create iii-worker tea -- --name oolong',
  ],
  [[], { npm_config_name: 'oolong', npm_config_json: 'true' }, 'npm keeps --js and --name'],
  [['tea', '--name', 'oolong'], { npm_config_json: 'true' }, 'npm create iii-worker tea -- --js --name oolong'],
])('says of %j with %j what to type', (argv, kept, text) => {
  expect(explainKeptByNpm(argv, { ...npm, ...kept })).toContain(text)
})

it('says nothing where nothing was kept, or what is said counts anyway', () => {
  expect(explainKeptByNpm(['tea', '--js'], npm)).toBeUndefined()
  expect(explainKeptByNpm(['tea', '--js'], { ...npm, npm_config_json: 'true' })).toBeUndefined()
  expect(explainKeptByNpm(['tea', '--name=oolong'], { ...npm, npm_config_name: 'green' })).toBeUndefined()
})

it('says nothing of package managers that hand everything on', () => {
  const pnpm = { npm_config_user_agent: 'pnpm/10.34.9 npm/? node/v20.20.2 linux x64' }
  expect(explainKeptByNpm(['tea'], { ...pnpm, npm_config_json: 'true' })).toBeUndefined()
  expect(explainKeptByNpm(['tea'], { npm_config_json: 'true' })).toBeUndefined()
})
