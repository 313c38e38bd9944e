import { describe, expect, it } from 'vitest'
import { findPackages, parseLanguage, toSourceFile } from './source-files.ts'

describe('the code of a client', () => {
  it.each([
    ['node', 'node'],
    ['javascript', 'node'],
    ['js', 'node'],
    ['python', 'python'],
    ['py', 'python'],
    ['Node', undefined],
    ['constructor', undefined],
  ])('in %j is %s', (text, language) => {
    expect(parseLanguage(text)).toBe(language)
  })

  it.each([
    ['an arrow', 'async (a) => a', 'export default (async (a) => a\n)\n', false],
    ['an arrow with an end', '(a) => a ; \n;', 'export default ((a) => a\n)\n', false],
    ['a function', 'function any() {}', 'export default (function any() {}\n)\n', false],
    ['an arrow and a comment', '() => 1 // one', 'export default (() => 1 // one\n)\n', false],
    ['an export', 'import "x"\nexport function handler() {}', 'import "x"\nexport function handler() {}', false],
    ['a list of exports', 'const a = 1;\nexport { a as handler }', 'const a = 1;\nexport { a as handler }', false],
    [
      'a definition',
      'const a = 1;\nconst handler = () => a',
      'const a = 1;\nconst handler = () => a\nexport { handler }\n',
      false,
    ],
    [
      'a worker',
      'import { registerWorker } from "x"\nregisterWorker()',
      'import { registerWorker } from "x"\nregisterWorker()',
      true,
    ],
    ['nothing of it', 'const a = 1', 'const a = 1', false],
  ])('for Node.js that is %s', (_, code, text, isWhole) => {
    expect(toSourceFile('node', code)).toEqual({ name: 'handler.mjs', text, isWhole })
  })

  it.each([
    ['def handler(a): return a', false],
    ['async def handler(a):\n  return a', false],
    ['handler = lambda a: a', false],
    ['from iii import register_worker\nregister_worker("x")', true],
    ['from iii import register_worker\ndef handler(a): pass', false],
    ['x = 1', false],
  ])('for Python stays as it is: %j', (code, isWhole) => {
    expect(toSourceFile('python', code)).toEqual({ name: 'handler.py', text: code, isWhole })
  })

  it('never runs when it is looked at', () => {
    expect(toSourceFile('node', '(globalThis.ran = true, () => 1)').isWhole).toBe(false)
    expect(globalThis).not.toHaveProperty('ran')
  })

  it.each(['\n', ' ', ';', 'from ', 'function ', 'export ', '(', 'async function '])(
    'is looked at in linear time: %j',
    async (part) => {
      const look = (code: string) => [toSourceFile('node', code), toSourceFile('python', code), findPackages(code)]
      await expect(look).toTakeLinearTime((length) => `a${part.repeat(length / part.length)}a`, 262_144)
    },
  )

  it('imports packages, and not files, URLs or parts of Node.js', () => {
    const code = `import a from 'one'; import "@iii/sdk/deep"; const b = await import( "two/x" ); require('three')
      import './file.js'; import '../up'; import 'node:fs'; import 'https://x/y'; import '/etc/passwd'; export * from "four"; from '@a/../b'`
    expect(findPackages(code)).toEqual(['one', '@iii/sdk', 'two', 'three', 'four'])
  })
})
