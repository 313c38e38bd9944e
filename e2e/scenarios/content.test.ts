import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { CLIENT_KINDS } from '../clients.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

function readSkill(name: string): string {
  return readFileSync(new URL(`../sample-worker/skills/${name}.md`, import.meta.url), 'utf8')
}

async function createOrder(customer: string): Promise<{ id: string }> {
  const payload = { customer, currency: 'EUR', lines: [{ sku: 'TEA', quantity: 3, unit_price: 450 }] }
  return await stack.worker.trigger({ function_id: 'orders::create', payload })
}

function textOf({ messages }: { messages: { content: unknown }[] }): string {
  return messages.map(({ content }) => (content as { text: string }).text).join('')
}

for (const kind of CLIENT_KINDS) {
  scenario(['resources/list'], `${kind} lists the index, the skill and the nested skill`, async () => {
    await using client = await stack.connect(kind)
    const resources = await client.listResources()
    expect(resources.slice(0, 3).map(({ uri, name, mimeType }) => ({ uri, name, mimeType }))).toEqual([
      { uri: 'iii://skills', name: 'skills', mimeType: 'text/markdown' },
      { uri: 'iii://orders', name: 'Orders', mimeType: 'text/markdown' },
      { uri: 'iii://orders/refunds', name: 'Refunds', mimeType: 'text/markdown' },
    ])
  })

  scenario(['resources/index'], `${kind} reads the index as a tree`, async () => {
    await using client = await stack.connect(kind)
    const [index] = await client.readResource('iii://skills')
    expect(index).toMatchObject({ uri: 'iii://skills', mimeType: 'text/markdown' })
    const rows = index?.text?.split('\n').filter((line) => line.trimStart().startsWith('- '))
    expect(rows).toEqual([
      '- [Orders](iii://orders) — Take, look up and cancel customer orders, and report on them.',
      '  - [Refunds](iii://orders/refunds) — When an order may be refunded, and the steps to do it.',
    ])
  })

  scenario(['resources/skill'], `${kind} reads the skills as they were written`, async () => {
    await using client = await stack.connect(kind)
    const skill = { uri: 'iii://orders', mimeType: 'text/markdown', text: readSkill('orders') }
    expect(await client.readResource(skill.uri)).toMatchObject([skill])
    const nested = { uri: 'iii://orders/refunds', mimeType: 'text/markdown', text: readSkill('refunds') }
    expect(await client.readResource(nested.uri)).toMatchObject([nested])
  })

  scenario(['resources/section'], `${kind} reads figures of this moment from a section`, async () => {
    await using client = await stack.connect(kind)
    const read = async () => {
      const [section] = await client.readResource('iii://fn/orders/status')
      expect(section).toMatchObject({ uri: 'iii://fn/orders/status', mimeType: 'text/markdown' })
      return Number(/there are (\d+) orders/.exec(section?.text ?? '')?.[1])
    }
    const before = await read()
    await createOrder('Section')
    expect(await read()).toBe(before + 1)
  })

  scenario(['resources/templates'], `${kind} lists the address templates`, async () => {
    await using client = await stack.connect(kind)
    const templates = await client.listResourceTemplates()
    // With or without the RFC 6570 plus sign that lets a variable hold slashes.
    const addresses = templates.map(({ uriTemplate }) => uriTemplate.replace('{+', '{'))
    expect(addresses.slice(0, 2)).toEqual(['iii://{skill_id}', 'iii://fn/{function_path}'])
  })

  scenario(['resources/refused'], `${kind} reads what is wrong with an address`, async () => {
    await using client = await stack.connect(kind)
    await expect(client.readResource('iii://nowhere')).rejects.toThrow('Skill not found: nowhere')
    await expect(client.readResource('file:///etc/passwd')).rejects.toThrow(
      'Resource URI must start with iii:// or skill://, or be one that a function declares',
    )
    await expect(client.readResource('iii://orders/orders::status')).rejects.toThrow('iii://fn/orders/status')
    await expect(client.readResource('iii://fn/nobody/home')).rejects.toThrow('nobody::home')
  })

  scenario(['resources/fetch'], `${kind} fetches several addresses in one call`, async () => {
    await using client = await stack.connect(kind)
    const uris = ['iii://orders/refunds', 'iii://fn/orders/status']
    const result = await client.callTool('skill__fetch', { uris })
    const [first, second] = result.content[0]?.text?.split('\n\n---\n\n') ?? []
    expect(first).toBe(`# iii://orders/refunds\n\n${readSkill('refunds').trimEnd()}`)
    expect(second).toContain('# iii://fn/orders/status\n\n# Orders right now')
  })

  scenario(['resources/refused', 'resources/fetch'], `${kind} reads what is wrong with what it fetches`, async () => {
    await using client = await stack.connect(kind)
    const refusalOf = async (input: object) => {
      const { isError, content } = await client.callTool('skill__fetch', { ...input })
      expect(isError).toBe(true)
      return content[0]?.text
    }
    const foreign = 'https://example.com/skill.md'
    expect(await refusalOf({ uri: foreign })).toBe(
      `Error: Invalid URI (must start with iii:// or skill://): ${foreign}`,
    )
    expect(await refusalOf({})).toBe('Error: Provide uri or a non-empty uris array')
    const fetched = await client.callTool('skill__fetch', { uris: ['iii://orders'], uri: foreign })
    expect(fetched.content[0]?.text).toContain('# iii://orders')
  })

  scenario(['resources/fetch'], `${kind} is told to read what the server itself has with resources/read`, async () => {
    await using client = await stack.connect(kind)
    for (const uri of ['iii://functions', 'iii://functions/orders::create', 'iii://context']) {
      const text = `Error: ${uri} is served by this server itself: read it with resources/read`
      expect((await client.callTool('skill__fetch', { uri })).content[0]?.text).toBe(text)
    }
  })

  scenario(['prompts/list'], `${kind} lists the prompt with its arguments`, async () => {
    await using client = await stack.connect(kind)
    expect((await client.listPrompts()).slice(0, 1)).toMatchObject([
      {
        name: 'refund-order',
        description: 'Refund an order, step by step',
        arguments: [
          { name: 'order_id', required: true },
          { name: 'reason', required: false },
        ],
      },
    ])
  })

  scenario(['prompts/get'], `${kind} renders the prompt for an order, with the reason`, async () => {
    await using client = await stack.connect(kind)
    const { id } = await createOrder('Grace')
    const prompt = await client.getPrompt('refund-order', { order_id: id, reason: 'The tea was cold' })
    expect(prompt.description).toBe('Refund an order, step by step')
    expect(prompt.messages).toMatchObject([{ role: 'user', content: { type: 'text' } }])
    const text = textOf(prompt)
    expect(text).toContain(`Refund order ${id} of Grace`)
    expect(text).toContain('Amount to refund: 13.50 EUR.')
    expect(text).toContain('The tea was cold')
  })

  scenario(['prompts/unknown-order'], `${kind} is told by the prompt that there is no such order`, async () => {
    await using client = await stack.connect(kind)
    for (const order_id of ['ORD-0000000000', 'the blue one']) {
      const prompt = await client.getPrompt('refund-order', { order_id })
      expect(textOf(prompt)).toContain(`There is no order ${order_id}.`)
    }
  })

  scenario(['prompts/refused'], `${kind} is told which prompt is unknown`, async () => {
    await using client = await stack.connect(kind)
    await expect(client.getPrompt('refund-everything')).rejects.toThrow('Prompt not found: refund-everything')
    const rule = "name may only contain lowercase ASCII letters, digits, '-' and '_'"
    await expect(client.getPrompt('Refund order')).rejects.toThrow(rule)
  })
}
