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
  ]).toEqual([
    { type: 'text', text: 'tea' },
    { type: 'image', data: 'AgM=', mimeType: 'image/png' },
    { type: 'image', data: 'AgM=', mimeType: 'image/png' },
    { type: 'audio', data: 'AgM=', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'shop://tea', name: 'tea', title: 'Tea' },
    { type: 'resource', resource: { uri: 'shop://tea', mimeType: 'text/plain', text: 'green' } },
    { type: 'resource', resource: { uri: 'shop://tea', blob: 'AgM=' } },
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
  [() => textBlock(4 as never), 'textBlock.text: must be a string, not a number'],
])('refuses what makes no block, of which clients would see a JSON text: %#', (make, says) => {
  expect(make).toThrow(says)
})
