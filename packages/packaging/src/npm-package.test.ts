import { expect, it } from 'vitest'
import { toPublishedManifest } from './npm-package.ts'

it('leaves out of the manifest what only a checkout needs', () => {
  const shown = { name: '@iii/a', version: '1.2.3', bin: { a: './bin/a.js' }, engines: { node: '>=20' } }
  const own = { scripts: { build: 'x' }, dependencies: { zod: '^4' }, devDependencies: { vitest: '^4' } }
  const publishConfig = { access: 'public', directory: 'dist', linkDirectory: false }
  expect(toPublishedManifest({ ...shown, ...own, publishConfig }, ['bin', 'bundle'])).toEqual({
    ...shown,
    files: ['bin', 'bundle'],
    publishConfig: { access: 'public' },
  })
})
