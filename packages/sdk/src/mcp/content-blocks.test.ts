import { expect, it } from 'vitest'
import { audioBlock, imageBlock, linkBlock, resourceBlock, textBlock } from './content-blocks.ts'

const BYTES = new Uint8Array([1, 2, 3]).subarray(1)

it('is text, images, sound, links and resources', () => {
  expect([
    textBlock('tea'),
    imageBlock(BYTES, 'image/png'),
    imageBlock(new Uint8Array([2, 3]).buffer, 'image/png'),
    audioBlock('AgM=', 'audio/wav'),
    linkBlock('shop://tea', 'tea', { title: 'Tea' }),
    resourceBlock('shop://tea', 'green', 'text/plain'),
    resourceBlock('shop://tea', BYTES),
    resourceBlock('shop://tea', '', 'text/html; charset=utf-8'),
    imageBlock(BYTES, 'image/svg+xml'),
  ]).toEqual([
    { type: 'text', text: 'tea' },
    { type: 'image', data: 'AgM=', mimeType: 'image/png' },
    { type: 'image', data: 'AgM=', mimeType: 'image/png' },
    { type: 'audio', data: 'AgM=', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'shop://tea', name: 'tea', title: 'Tea' },
    { type: 'resource', resource: { uri: 'shop://tea', mimeType: 'text/plain', text: 'green' } },
    { type: 'resource', resource: { uri: 'shop://tea', blob: 'AgM=' } },
    { type: 'resource', resource: { uri: 'shop://tea', mimeType: 'text/html; charset=utf-8', text: '' } },
    { type: 'image', data: 'AgM=', mimeType: 'image/svg+xml' },
  ])
})

const wrong = undefined as never

it.each([
  [() => imageBlock(wrong, 'image/png'), 'imageBlock takes bytes (a Uint8Array) or a text, not undefined'],
  [() => imageBlock(BYTES, wrong), 'imageBlock.mimeType: must be a string, but it is missing'],
  [() => imageBlock('data:image/png;base64,AgM=', 'image/png'), 'imageBlock.data: must be base64'],
  [() => audioBlock({} as never, 'audio/wav'), 'audioBlock takes bytes (a Uint8Array) or a text, not an object'],
  [
    () => linkBlock({ uri: 'shop://tea', name: 'tea' } as never, wrong),
    'linkBlock.uri: must be a string, not an object',
  ],
  [() => resourceBlock('shop://tea', wrong), 'resourceBlock takes bytes (a Uint8Array) or a text, not undefined'],
  [() => imageBlock(BYTES, 'png'), "imageBlock.mimeType: must be a type such as 'image/png', not 'png'"],
  [() => imageBlock(BYTES, 'audio/wav'), "must be a type such as 'image/png', not 'audio/wav'"],
  [() => imageBlock('', 'image/png'), 'imageBlock.data: has no bytes'],
  [() => audioBlock(BYTES, '.wav'), "audioBlock.mimeType: must be a type such as 'audio/wav', not '.wav'"],
  [() => linkBlock('tea', 'tea'), "linkBlock.uri: must be an address with a scheme, such as 'orders://7', not 'tea'"],
  [() => linkBlock('shop://tea', 'tea', 'text/plain' as never), 'takes its fields as an object, not as a string'],
  [() => linkBlock('shop://tea', 'tea', { mimetype: 'text/plain' } as never), "did you mean 'mimeType'?"],
  [() => linkBlock('shop://tea', 'tea', { mimeType: 'markdown' }), "such as 'text/markdown', not 'markdown'"],
  [() => resourceBlock('tea', 'green'), 'resourceBlock.uri: must be an address with a scheme'],
  [() => resourceBlock('shop://tea', 'green', 'markdown'), 'resourceBlock.mimeType: must be a type such as'],
  [() => textBlock(4 as never), 'textBlock.text: must be a string, not a number'],
])('refuses what makes no block, of which clients would see a JSON text: %#', (make, says) => {
  expect(make).toThrow(says)
})
