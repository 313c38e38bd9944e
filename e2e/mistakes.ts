/** What authors mistake, and how the compiler tells them: each is a line of one file. */
interface Mistake {
  /** `▸` stands before what the compiler has to point at. */
  readonly code: string
  readonly says: RegExp
}

const POINTER = '▸'
const HEAD = `import { type Ask, registerMcpFunction, type Worker } from '@iii/sdk'
import { z } from 'zod'
declare const worker: Worker
declare const ask: Ask
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

/** Facts of a function with names that do not exist. */
const WRONG_FACTS = [
  { options: '{ mcp: { ▸titel: "Greet" } }', says: /'titel' does not exist in type .*\b[tT]itle\b/s },
  { options: '{ mcp: { annotations: { ▸readOnly: true } } }', says: /'readOnly' does not exist in type/ },
]

const FUNCTIONS = [
  ...WRONG_HANDLERS.map((code) => ({ code, says: WRONG_RESULT })),
  ...WRONG_FACTS.map(({ options, says }) => ({ code: `() => "Hello", ${options}`, says })),
]

const MISTAKES: readonly Mistake[] = [
  ...FUNCTIONS.flatMap(({ code, says }) => [
    { code: `worker.registerFunction('hello::greet', ${code})`, says },
    { code: `registerMcpFunction(worker, 'hello::greet', ${code})`, says },
  ]),
  {
    code: 'ask.form("Where to?", ▸z.object({ name: z.string(), address: z.object({ city: z.string() }) }))',
    says: /'a form has texts, numbers, .*one by one': "address"|one by one/s,
  },
  {
    code: 'worker.registerTrigger({ type: "http", function_id: "a::b", config: { ▸apiPath: "/a" } })',
    says: /'apiPath' does not exist in type 'HttpTriggerConfig'/,
  },
  {
    code: 'worker.registerTrigger({ type: "cron", function_id: "a::b", config: { ▸schedule: "@daily" } })',
    says: /'schedule' does not exist in type 'CronTriggerConfig'/,
  },
]

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
