import { expect, it } from 'vitest'
import { readEngineAddress } from './address.ts'

const url = 'ws://127.0.0.1:49134'
const httpUrl = 'http://127.0.0.1:3111'

it.each<[NodeJS.ProcessEnv, ReturnType<typeof readEngineAddress>]>([
  [{}, undefined],
  [{ III_TEST_ENGINE_URL: '', III_TEST_HTTP_URL: '' }, undefined],
  [
    { III_TEST_ENGINE_URL: url, III_TEST_HTTP_URL: httpUrl },
    { url, httpUrl },
  ],
  [
    { III_TEST_ENGINE_URL: url, III_TEST_HTTP_URL: `${httpUrl}/` },
    { url, httpUrl },
  ],
  [
    { III_TEST_ENGINE_URL: url, III_TEST_HTTP_URL: httpUrl, III_TEST_ENGINE_OUTPUT: '/tmp/engine.log' },
    { url, httpUrl, outputFile: '/tmp/engine.log' },
  ],
  [
    { III_TEST_ENGINE_URL: httpUrl, III_TEST_HTTP_URL: httpUrl },
    `III_TEST_ENGINE_URL has to be a URL like ${url}, not '${httpUrl}'`,
  ],
  [{ III_TEST_ENGINE_URL: url }, `III_TEST_HTTP_URL has to be a URL like ${httpUrl}, not ''`],
  [{ III_TEST_HTTP_URL: httpUrl }, `III_TEST_ENGINE_URL has to be a URL like ${url}, not ''`],
])('%j names the engine %j', (env, address) => {
  expect(readEngineAddress(env)).toEqual(address)
})
