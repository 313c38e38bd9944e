import { describe, expect, it } from 'vitest'
import { checkFilePath, checkSkillFiles, MAX_SKILL_FILE_BYTES, type SkillFile } from './skill-files.ts'

const toFiles = (count: number, text = ''): SkillFile[] =>
  Array.from({ length: count }, (_, at) => ({ path: `${at}.txt`, text }))

describe('the files of a skill', () => {
  it('are at most 512 with SKILL.md, of 1 MiB each, and 16 MiB with it in all', () => {
    expect(checkSkillFiles(toFiles(511))).toBeUndefined()
    expect(checkSkillFiles(toFiles(512))).toBe('too many files (512 beside SKILL.md; with it a skill has at most 512)')
    const largest = 'x'.repeat(MAX_SKILL_FILE_BYTES)
    expect(checkSkillFiles(toFiles(16, largest))).toBeUndefined()
    expect(checkSkillFiles([...toFiles(16, largest), { path: 'one', text: 'x' }])).toBe(
      'skill too large (16777217 bytes with all its files; max 16777216)',
    )
    expect(checkSkillFiles(toFiles(16, largest), 'é')).toBe(
      'skill too large (16777218 bytes with all its files; max 16777216)',
    )
    expect(checkSkillFiles([...toFiles(15, largest), { path: 'last', text: largest.slice(2) }], 'é')).toBeUndefined()
    expect(checkSkillFiles([{ path: 'a', text: `${largest}x` }])).toBe('file a too large (1048577 bytes; max 1048576)')
  })

  it('are counted by their bytes, not by their letters or their base64', () => {
    const base64 = Buffer.alloc(MAX_SKILL_FILE_BYTES).toString('base64')
    expect(checkSkillFiles([{ path: 'a', base64 }])).toBeUndefined()
    expect(checkSkillFiles([{ path: 'a', text: 'é'.repeat(MAX_SKILL_FILE_BYTES / 2 + 1) }])).toMatch(/too large/)
  })

  it('have one content, one place, and a media type that is one', () => {
    expect(checkSkillFiles([{ path: 'a' }])).toBe('file a: give either text or base64')
    expect(checkSkillFiles([{ path: 'a', text: '', base64: '' }])).toBe('file a: give either text or base64')
    expect(checkSkillFiles([...toFiles(1), ...toFiles(1)])).toBe('file 0.txt is there twice')
    expect(
      checkSkillFiles([
        { path: 'a/b', text: '' },
        { path: 'a', text: '' },
      ]),
    ).toBe('file a is also the folder of a/b')
    expect(checkSkillFiles([{ path: 'a', text: '', mimeType: 'markdown' }])).toMatch(/must be a media type/)
  })
})

describe('the path of a file', () => {
  it.each(['LIMITS.md', 'references/LIMITS.md', 'a b/Ü 😀.txt', '.hidden', '-', 'é'.repeat(256)])(
    'may be %.40s',
    (path) => {
      expect(checkFilePath(path)).toBeUndefined()
    },
  )

  it.each([
    ['', /must be non-empty/],
    ['/a', /empty part/],
    ['a/', /empty part/],
    ['a//b', /empty part/],
    ['./a', /leads elsewhere/],
    ['a/../b', /leads elsewhere/],
    ['a\\b', /backslash/],
    ['a\u0000b', /control character/],
    ['\ud800', /well-formed|surrogate/],
    ['SKILL.md', /has SKILL\.md in it/],
    ['deep/Skill.MD', /has SKILL\.md in it/],
    [`${'é'.repeat(256)}x`, /too long \(513 bytes; max 512\)/],
  ])('may not be %j', (path, problem) => {
    expect(checkFilePath(path)).toMatch(problem)
  })
})
