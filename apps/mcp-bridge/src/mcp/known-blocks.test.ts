import type { ContentBlock } from '@iii/protocol'
import { expect, it } from 'vitest'
import { SESSION_REVISIONS, STATELESS_REVISION } from './era.ts'
import { toKnownBlock } from './known-blocks.ts'

const annotations = { priority: 1 }
const link: ContentBlock = { type: 'resource_link', uri: 'iii://orders', name: 'orders', annotations }
const audio: ContentBlock = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
const old: ContentBlock[] = [
  { type: 'text', text: 'hi' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'a:b', text: 'c' } },
]

it.each([...SESSION_REVISIONS, STATELESS_REVISION])('%s gets no block that it does not have', (revision) => {
  const shown = (block: ContentBlock) => toKnownBlock(block, { revision })
  for (const block of old) expect(shown(block)).toBe(block)
  if (revision >= '2025-06-18') expect(shown(link)).toBe(link)
  else expect(shown(link)).toEqual({ type: 'text', text: 'orders: iii://orders', annotations })
  if (revision >= '2025-03-26') expect(shown(audio)).toBe(audio)
  else expect(shown(audio)).toMatchObject({ type: 'text', text: expect.stringContaining('audio (audio/wav)') })
})

it.each([...SESSION_REVISIONS, STATELESS_REVISION])('%s gets no address that clients cannot parse', (revision) => {
  const shown = (block: ContentBlock) => toKnownBlock(block, { revision })
  const text = (said: string) => ({ type: 'text', text: said })
  expect(shown({ type: 'resource_link', uri: 'notes/today.md', name: 'today' })).toEqual(text('today: notes/today.md'))
  expect(shown({ type: 'resource', resource: { uri: 'notes/a', text: 'hi' } })).toEqual(text('notes/a: hi'))
  const blob: ContentBlock = { type: 'resource', resource: { uri: 'db://[a', blob: 'AAAA' }, annotations }
  expect(shown(blob)).toMatchObject({ type: 'text', text: expect.stringContaining('db://[a'), annotations })
})
