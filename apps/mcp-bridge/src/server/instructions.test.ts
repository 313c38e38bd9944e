import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { createInstructions, toInstructions } from './instructions.ts'

describe('the instructions', () => {
  it.each([
    [true, true, /iii:\/\/skills.*skill__fetch.*Prompts are .*those of this server itself show .*\.$/],
    [true, false, /iii:\/\/skills.*Prompts are tasks that the user starts by name, with what they need filled in\.$/],
    [false, true, /^(?!.*skill).*Prompts are .*those of this server itself show/],
    [false, false, /^(?!.*skill).*Prompts are tasks/],
  ])('with skills: %s, with canned prompts: %s', (hasSkills, hasCannedPrompts, text) => {
    expect(toInstructions({ hasSkills, hasCannedPrompts })).toMatch(text)
  })

  it('tell of the search where a list has few tools', () => {
    const offered = { hasSkills: false, hasCannedPrompts: false }
    expect(toInstructions({ ...offered, isSearched: true })).toMatch(
      /search_tools finds the others.* call_tool calls them\./,
    )
    expect(toInstructions(offered)).not.toMatch(/search_tools/)
  })

  it('look up one tool, and go through none of the others', async () => {
    const asked: string[] = []
    const catalog = {
      known: () => ({ length: 10_000 }) as never,
      hasTool(name: string) {
        asked.push(name)
        return true
      },
    }
    const write = createInstructions(
      catalog,
      () => true,
      async () => 'the index',
    )
    expect(await write(EVERYBODY, false)).toMatch(/iii:\/\/skills[\s\S]*the index$/)
    expect(asked).toEqual(['skill__fetch'])
  })
})
