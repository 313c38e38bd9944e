// @vitest-environment jsdom
import type { CallToolResult, Prompt, Resource, Tool } from '@modelcontextprotocol/client'
import { h, render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../testing/hostile-texts.ts'
import { App } from './app.tsx'
import { failures, listedTools, prompts, resources, server, status } from './connection.ts'
import { ToolResultView } from './content.tsx'
import { GraphPicture } from './graph.tsx'
import { toSafeHtml } from './markdown.tsx'
import { parseHash, shownPlace, toHash } from './places.ts'
import { ask, dropQuestions } from './questions.ts'
import { FileContent, FileList } from './skill-file-view.tsx'
import { parseFiles } from './skill-files.ts'

/** Nothing of these is ever made of a stranger's text, nor is an attribute that runs something. */
const HARMFUL = 'script, style, iframe, object, embed, link, base, meta, svg script, img[onerror]'

// This DOM has no dialogs that keep everything else away.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true
}

afterEach(() => {
  dropQuestions()
  document.body.replaceChildren()
  Object.assign(globalThis, { harmed: undefined })
})

function expectHarmless(root: ParentNode): void {
  expect([...root.querySelectorAll(HARMFUL)].map(({ outerHTML }) => outerHTML)).toEqual([])
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      expect([name.startsWith('on'), /^\s*javascript:/i.test(value)]).toEqual([false, false])
      if (name === 'src') expect(value).toMatch(/^data:image\//)
    }
  }
  expect('harmed' in globalThis && globalThis['harmed' as keyof typeof globalThis]).toBeFalsy()
}

async function show(view: string, what: string): Promise<HTMLElement> {
  const root = document.createElement('div')
  document.body.append(root)
  await act(() => {
    shownPlace.value = parseHash(`#/${view}/${encodeURIComponent(what)}`)
    render(h(App, null), root)
  })
  await act(() => {
    for (const fold of root.querySelectorAll('details')) {
      fold.open = true
      fold.dispatchEvent(new Event('toggle'))
    }
  })
  return root
}

function toHostileTool(text: string): Tool {
  const field = { type: 'string', title: text, description: text, default: text, enum: [text] }
  const properties = Object.fromEntries([
    [text, field],
    ['__proto__', { type: text, items: text, format: text }],
    ['constructor', { type: 'array', items: { enum: [text] } }],
  ]) as never
  const schema = { type: 'object' as const, properties, required: [text] }
  return { name: text, title: text, description: text, inputSchema: schema, outputSchema: schema }
}

describe.each(Object.entries(HOSTILE_TEXTS))('a stranger who says %s', (_name, text) => {
  it('is shown as text wherever names and descriptions stand', async () => {
    const resource: Resource = { uri: `iii://${text}`, name: text, title: text, description: text }
    const prompt: Prompt = {
      name: text,
      description: text,
      arguments: [{ name: text, description: text, required: true }],
    }
    status.value = { kind: 'ready' }
    server.value = { title: text, version: text, instructions: text }
    listedTools.value = [toHostileTool(text), { ...toHostileTool(text), name: 'runs__list_runs' }]
    resources.value = [resource]
    prompts.value = [prompt]
    failures.value = { tools: text }
    for (const view of ['connect', 'tools', 'skills', 'prompts', 'why-not', 'exchanges']) {
      const root = await show(view, view === 'skills' ? '' : text)
      expectHarmless(root)
      if (view === 'tools' || view === 'prompts') expect(root.querySelector('h2')?.textContent).toBe(text)
      await act(() => render(null, root))
    }
  })

  it('is shown as text in results, questions and pictures', async () => {
    const result: CallToolResult = {
      content: [
        { type: 'text', text },
        { type: 'image', data: text, mimeType: text },
        { type: 'audio', data: text, mimeType: text },
        { type: 'resource_link', uri: `iii://${text}`, name: text },
        { type: 'resource_link', uri: text, name: text },
        { type: 'resource', resource: { uri: text, text, mimeType: text } },
      ],
      structuredContent: { [text]: text },
      isError: true,
    }
    const root = document.createElement('div')
    const graph = { tasks: [{ id: text }, { id: '__proto__' }], edges: [{ from: text, to: '__proto__' }] }
    await act(() => render([h(ToolResultView, { result }), h(GraphPicture, { graph })], root))
    expectHarmless(root)
    expect(root.querySelectorAll('g.box')).toHaveLength(2)
    for (const markdown of [text, `[${text}](${text})`, `[a](<${text}>)`]) {
      const box = document.createElement('div')
      box.innerHTML = toSafeHtml(markdown, 'skill://orders/SKILL.md')
      expectHarmless(box)
    }
    expect(parseHash(toHash('tools', text)).what).toBe(text)
    void ask({
      message: text,
      requestedSchema: { type: 'object', properties: { [text]: { type: 'string', title: text } } },
    })
    const shown = await show('tools', '')
    expectHarmless(shown)
    await act(() => render(null, shown))
  })

  it('is shown as text in the files of a skill, whatever they are called and hold', async () => {
    const resources = [`skill://${text}/${text}`, text, 'javascript:globalThis.harmed=1'].map((uri) => ({
      uri,
      size: text,
    }))
    const files = parseFiles({ uri: `skill://${text}/SKILL.md`, resources })
    expect(files.map(({ uri }) => uri)).toEqual([`skill://${text}/${text}`])
    const uri = `skill://orders/${text}`
    const types = [undefined, text, 'text/markdown', 'text/html', 'image/svg+xml', 'image/png']
    const contents = types.flatMap((mimeType) => [
      { uri, text, mimeType },
      { uri, text: `---\n${text}\n---\n${text}`, mimeType },
      { uri, blob: text, mimeType },
      { uri, blob: btoa('bytes'), mimeType },
    ])
    const root = document.createElement('div')
    const shown = contents.map((content) => h(FileContent, { uri, content } as Parameters<typeof FileContent>[0]))
    await act(() => render([h(FileList, { files }), ...shown], root))
    expectHarmless(root)
    expect(root.querySelector('.files a')?.textContent).toBe(text)
    expect(root.querySelectorAll('img')).toHaveLength(2)
    expect(
      [...root.querySelectorAll('a')].every((link) =>
        /^(?:#|https?:|mailto:)|^$/.test(link.getAttribute('href') ?? ''),
      ),
    ).toBe(true)
  })
})
