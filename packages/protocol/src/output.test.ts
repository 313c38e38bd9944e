import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PromptMessage } from './content-block.ts'
import { Fault } from './fault.ts'
import { toPromptMessages, toSectionContent } from './output.ts'

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } })
const unsupported = 'prompt handler returned unsupported shape; expected string, { content }, or { messages: [...] }'

describe('a section', () => {
  it.each<[unknown, string, string]>([
    ['# Health', '# Health', 'text/markdown'],
    ['', '', 'text/markdown'],
    [{ content: '# Health', more: 1 }, '# Health', 'text/markdown'],
    [{ text: '<p>', mimeType: 'text/html' }, '<p>', 'text/html'],
    [{ content: 'wins', text: 'a', mimeType: 'text/html' }, 'wins', 'text/markdown'],
    [{ text: 'a' }, '{\n  "text": "a"\n}', 'application/json'],
    [{ content: 7 }, '{\n  "content": 7\n}', 'application/json'],
    [{ ok: true }, '{\n  "ok": true\n}', 'application/json'],
    [[1], '[\n  1\n]', 'application/json'],
    [null, 'null', 'application/json'],
    [undefined, 'null', 'application/json'],
    ['a\ud800', 'a\ufffd', 'text/markdown'],
  ])('that is %j reads %j as %s', (value, text, mimeType) => {
    expect(toSectionContent(value)).toEqual({ text, mimeType })
  })

  it('that JSON cannot hold reads null', () => {
    expect(toSectionContent(10n)).toEqual({ text: 'null', mimeType: 'application/json' })
  })

  it('is served whatever the function returned', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ content: fc.anything(), text: fc.anything() })), (value) => {
        const { text, mimeType } = toSectionContent(value)
        expect(text.isWellFormed()).toBe(true)
        if (mimeType === 'application/json') expect(() => JSON.parse(text)).not.toThrow()
      }),
    )
  })
})

describe('a prompt', () => {
  const assistant = { role: 'assistant', content: { type: 'image', data: 'AA==', mimeType: 'image/png' }, extra: 1 }

  it.each<[unknown, unknown[]]>([
    ['Refund it.', [user('Refund it.')]],
    ['', [user('')]],
    [{ content: 'Refund it.' }, [user('Refund it.')]],
    [{ messages: [user('a'), assistant] }, [user('a'), assistant]],
    [{ messages: [], content: 'loses' }, []],
    [{ messages: 'no list', content: 'wins' }, [user('wins')]],
    [{ messages: [{ role: 'user', content: 'bare' }] }, [user('bare')]],
    ['a\ud800', [user('a\ufffd')]],
    [{ messages: [user('a\ud800')] }, [user('a\ufffd')]],
  ])('of %j has the messages %j', (value, messages) => {
    expect(toPromptMessages(value)).toEqual(messages)
  })

  it.each([[undefined], [null], [7], [{}], [[]], [['a']], [{ content: 7 }], [{ text: 'a' }]])(
    'of %j is refused',
    (value) => {
      expect(() => toPromptMessages(value)).toThrow(new Fault('internal', unsupported))
    },
  )

  it.each([
    [[null]],
    [[{ role: 'system', content: { type: 'text', text: 'a' } }]],
    [[user('a'), { role: 'user' }]],
    [[{ role: 'user', content: { type: 'text' } }]],
  ])('with the messages %j says which one is wrong', (messages) => {
    const problem = `${unsupported}: message ${messages.length} needs a role (user, assistant) and an MCP content block`
    expect(() => toPromptMessages({ messages })).toThrow(new Fault('internal', problem))
  })

  it('loses remarks that clients would refuse it for', () => {
    const content = { type: 'text', text: 'a' }
    const messages = [{ role: 'user', content: { ...content, annotations: { priority: 'high' } } }]
    expect(toPromptMessages({ messages })).toEqual([{ role: 'user', content }])
  })

  it('is messages or a fault, whatever the handler returned', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ messages: fc.array(fc.anything()) })), (value) => {
        try {
          for (const message of toPromptMessages(value)) expect(PromptMessage.safeParse(message).success).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(Fault)
        }
      }),
    )
  })
})
