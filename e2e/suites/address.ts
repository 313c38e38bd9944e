import type { EngineAddress } from '../chosen-engine.ts'
import { PROGRAM_VARIABLE } from './program-file.ts'

const VARIABLES = {
  url: 'III_TEST_ENGINE_URL',
  httpUrl: 'III_TEST_HTTP_URL',
  output: 'III_TEST_ENGINE_OUTPUT',
} as const

export const VARIABLES_HELP = `Name a running engine, 0.22.1 or later, up to 0.23:
  ${VARIABLES.url}=ws://127.0.0.1:49134 ${VARIABLES.httpUrl}=http://127.0.0.1:3111
and, for what may not be found there, the file that has what it writes: ${VARIABLES.output}=/tmp/engine.log
One that is for tests: what is stored in it by the workers skills, mcp and orders is deleted.
For what may not be found in spans either, name the program of an engine, which is started to keep them: ${PROGRAM_VARIABLE}=/usr/local/bin/iii`

/**
 * Reads where the engine under test is.
 *
 * @returns undefined when neither variable is set; a text that says what is wrong when they are not both URLs.
 */
export function readEngineAddress(env: NodeJS.ProcessEnv): EngineAddress | string | undefined {
  const url = env[VARIABLES.url] ?? ''
  const httpUrl = env[VARIABLES.httpUrl] ?? ''
  if (url === '' && httpUrl === '') return undefined
  if (!hasScheme(url, ['ws:', 'wss:']))
    return `${VARIABLES.url} has to be a URL like ws://127.0.0.1:49134, not '${url}'`
  if (!hasScheme(httpUrl, ['http:', 'https:']))
    return `${VARIABLES.httpUrl} has to be a URL like http://127.0.0.1:3111, not '${httpUrl}'`
  const outputFile = env[VARIABLES.output]
  return { url, httpUrl: httpUrl.replace(/\/+$/, ''), ...(outputFile && { outputFile }) }
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol)
}
