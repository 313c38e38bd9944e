import { expect, it } from 'vitest'
import { findProblems, toArchiveUrl, toPublishPayload } from './payload.ts'
import type { PackedWorker } from './worker-manifest.ts'

const schema = { type: 'object' }
const whole = { name: 'a::b', description: '', request_schema: schema, response_schema: { anyOf: [] }, metadata: {} }
const change = { name: 'change', description: '', invocation_schema: schema, return_schema: undefined, metadata: {} }
const offered = { functions: [whole], triggers: [change] }
const worker: PackedWorker = {
  name: 'a',
  version: '1.2.3',
  license: 'Apache-2.0',
  repository: 'https://example.com/a',
  readme: '# a',
  manifest: { name: 'a', description: 'of the worker', tags: ['t'], scripts: { install: '', start: 'run' } },
  needs: { b: '^1.0.0' },
}
const archive = { url: 'https://example.com/a.tar.gz', sha256: '00' }

it('makes one address of that of a folder and a file, and refuses what is none', () => {
  for (const end of ['', '/', '//']) expect(toArchiveUrl(`https://h/d${end}`, 'a.tar.gz')).toBe('https://h/d/a.tar.gz')
  for (const text of ['', 'h/d', 'ftp://h/d', 'https://']) {
    expect(() => toArchiveUrl(text, 'a.tar.gz')).toThrow(`--base-url takes an address, such as https://`)
  }
})

it('names each function without a schema that says something', () => {
  const functions = [
    whole,
    { ...whole, name: 'a::empty', request_schema: {} },
    { ...whole, name: 'a::none', response_schema: undefined },
    { ...whole, name: 'a::title', request_schema: { title: 'T' }, response_schema: null },
  ]
  expect(findProblems({ functions, triggers: [{ ...change, invocation_schema: undefined }] })).toEqual([
    'a::empty has no request schema',
    'a::none has no response schema',
    'a::title has no request schema',
    'a::title has no response schema',
    'change has no invocation schema',
  ])
  expect(findProblems({ functions: [], triggers: [] })).toEqual(['there are no functions'])
  expect(() => toPublishPayload(worker, { functions, triggers: [] }, { type: 'bundle', archive })).toThrow('a::empty')
})

it('tells the registry of a bundle where it is and what it needs', () => {
  expect(toPublishPayload(worker, offered, { type: 'bundle', archive })).toMatchObject({
    worker_name: 'a',
    version: '1.2.3',
    tag: 'latest',
    type: 'bundle',
    description: 'of the worker',
    dependencies: [{ name: 'b', version: '^1.0.0' }],
    functions: [whole],
    triggers: [change],
    archive_url: archive.url,
    sha256: archive.sha256,
  })
})

it('tells the registry of a binary for each platform', () => {
  const payload = toPublishPayload(worker, offered, { type: 'binary', archive, targets: ['x', 'y'] })
  expect(payload).toMatchObject({ type: 'binary', binaries: { x: archive, y: archive } })
  expect(payload).not.toHaveProperty('archive_url')
})

it('gives a prerelease the tag of prereleases, and refuses a version that the registry refuses', () => {
  const at = (version: string) => toPublishPayload({ ...worker, version }, offered, { type: 'bundle', archive })
  expect(at('1.2.3-rc.1')).toMatchObject({ tag: 'next' })
  expect(() => at('1.2.3-canary.1')).toThrow('the registry takes')
})
