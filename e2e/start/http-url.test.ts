import { expect, it } from 'vitest'
import { toHttpUrl } from './http-url.ts'

it.each([
  ['ws://127.0.0.1:49134', undefined, undefined],
  ['ws://engine.example:49134', {}, undefined],
  ['ws://engine.example:49134', { host: '0.0.0.0', port: 80 }, 'http://engine.example:80'],
  ['ws://engine.example:49134', { host: '127.0.0.1', port: 4000 }, 'http://engine.example:4000'],
  ['ws://engine.example:49134', { host: '10.0.0.7', port: 4000 }, 'http://10.0.0.7:4000'],
  ['ws://[::1]:49134', { host: '::', port: 4000 }, 'http://[::1]:4000'],
  ['ws://localhost:49134', { host: 'fd00::7', port: 4000 }, 'http://[fd00::7]:4000'],
  ['wss://engine.example', { port: 443 }, 'https://engine.example:443'],
  ['ws://localhost:49134', { port: 'many' }, undefined],
])('an engine at %s with the settings %j answers at %s', (engineUrl, settings, url) => {
  expect(toHttpUrl(engineUrl, settings)).toBe(url)
})
