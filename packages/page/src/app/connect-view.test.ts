// @vitest-environment jsdom
import { h, render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { App } from './app.tsx'
import { hasToken, status } from './connection.ts'
import { parseHash, shownPlace } from './places.ts'

afterEach(() => {
  document.body.replaceChildren()
  hasToken.value = false
})

async function show(): Promise<HTMLElement> {
  const root = document.createElement('div')
  document.body.append(root)
  await act(() => {
    status.value = { kind: 'ready' }
    shownPlace.value = parseHash('#/connect')
    render(h(App, null), root)
  })
  return root
}

async function open(root: HTMLElement, summary: string): Promise<void> {
  const fold = [...root.querySelectorAll('details')].find((each) => each.textContent === summary)
  await act(() => {
    if (fold === undefined) return
    fold.open = true
    fold.dispatchEvent(new Event('toggle'))
  })
}

describe('the view for connecting a client', () => {
  it('says that nothing but the address is needed where this page came in without a token, and takes one', async () => {
    const root = await show()
    expect(root.textContent).toContain('needs this address and nothing else:')
    expect(root.textContent).not.toContain('Authorization')
    expect(root.querySelector('input')).toBeNull()
    await open(root, 'See what a token sees')
    expect(root.querySelector('input')?.type).toBe('password')
  })

  it('says how clients send a token where this page came in with one', async () => {
    hasToken.value = true
    const root = await show()
    expect(root.textContent).not.toContain('nothing else')
    expect(root.textContent).toContain('Authorization: Bearer TOKEN')
    await open(root, 'See what another token sees')
    expect(root.querySelector('input')?.type).toBe('password')
  })
})
