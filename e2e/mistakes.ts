/** What authors mistake, and how the compiler tells them: each is a line of one file. */
interface Mistake {
  /** `▸` stands before what the compiler has to point at. */
  readonly code: string
  readonly says: RegExp
}

const POINTER = '▸'
const HEAD = `import { registerMcpFunction, type Worker } from '@iii/sdk'
import { z } from 'zod'
declare const worker: Worker
const request_format = z.object({ name: z.string() })
const response_format = z.object({ greeting: z.string() })
`

/** What is returned and what is owed: of a promise the compiler tells what is missing in what it holds. */
const WRONG_RESULT =
  /'\{ greting: string; \}' (?:is not assignable to type|but required in type) '(?:[^']* \| )?\{ greeting: string; \}/

/** Handlers that return what they do not owe, and what else is said of the function. */
const WRONG_HANDLERS = [
  '({ name }) => ▸({ greting: name }), { request_format, response_format }',
  'async ({ name }) => ▸({ greting: name }), { request_format, response_format }',
  '▸async ({ name }) => { return { greting: name } }, { request_format, response_format }',
  '() => ▸({ greting: "Hello" }), { response_format }',
  '▸async ({ name }: { name: string }) => { return { greting: name } }, { response_format }',
]

const MISTAKES: readonly Mistake[] = WRONG_HANDLERS.flatMap((handler) => [
  { code: `worker.registerFunction('hello::greet', ${handler})`, says: WRONG_RESULT },
  { code: `registerMcpFunction(worker, 'hello::greet', ${handler})`, says: WRONG_RESULT },
])

/** The file, to be compiled. */
export function formatMistakes(): string {
  return HEAD + MISTAKES.map(({ code }) => code.replace(POINTER, '')).join('\n')
}

/** What a compiler has to say of it, from the top to the bottom. */
export function toExpected(file: string): { readonly at: string; readonly says: RegExp }[] {
  const first = HEAD.split('\n').length
  const place = (code: string, index: number) => `${file}(${first + index},${code.indexOf(POINTER) + 1})`
  return MISTAKES.map(({ code, says }, index) => ({ at: place(code, index), says }))
}

/** What it has said. */
export function readErrors(output: string): { readonly at: string; readonly says: string }[] {
  if (output === '') return []
  return output.split(/\n(?=\S)/).map((error) => {
    const [, at = '', says = ''] = /^(\S+\([\d,]+\)): error \w+: ([\s\S]*)$/.exec(error) ?? []
    return { at, says }
  })
}
