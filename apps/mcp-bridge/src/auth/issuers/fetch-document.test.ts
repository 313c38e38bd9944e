import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startHttpServer } from '../../testing/http-server.ts'
import { fetchIssuerDocument, isTrustworthy } from './fetch-document.ts'

describe('a document of an issuer', () => {
  it('is read as JSON', async () => {
    await using server = await startHttpServer((_, response) => response.end('{"keys":["ä"]}'))
    expect(await fetchIssuerDocument(server.url)).toEqual({ keys: ['ä'] })
  })

  it.each<[string, RegExp, RequestListener]>([
    ['that leads elsewhere', /answers 302$/, (_, response) => response.writeHead(302, { location: '/other' }).end()],
    ['that is an error', /answers 500$/, (_, response) => response.writeHead(500).end('{}')],
    ['that is no JSON', /does not answer with JSON$/, (_, response) => response.end('<html>')],
    ['that is too large', /more than 256 KiB$/, (_, response) => response.end(`"${'x'.repeat(256 * 1024)}"`)],
    [
      'that breaks off',
      /does not answer to its end/,
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy()),
    ],
    ['that never comes', /does not answer/, () => undefined],
    ['that does not end', /does not answer to its end/, (_, response) => void response.write('{')],
  ])('%s is refused', async (_, reason, listener) => {
    await using server = await startHttpServer(listener)
    await expect(fetchIssuerDocument(server.url, 200)).rejects.toThrow(reason)
  })

  it('of nobody says so', async () => {
    const gone = await startHttpServer(() => undefined)
    await gone[Symbol.asyncDispose]()
    await expect(fetchIssuerDocument(gone.url)).rejects.toThrow(/does not answer: ECONNREFUSED$/)
  })

  it.each([
    ['https://login.example.com/keys', true],
    ['http://127.0.0.1:8080/keys', true],
    ['http://[::1]/keys', true],
    ['http://localhost/keys', true],
    ['http://login.example.com/keys', false],
    ['http://127.0.0.1.nip.io/keys', false],
    ['http://localhost.evil.example/keys', false],
    ['https://user:password@login.example.com/keys', false],
    ['file:///keys', false],
    ['keys', false],
  ])('at %s may be trusted: %s', async (url, may) => {
    expect(isTrustworthy(url)).toBe(may)
    if (!may) await expect(fetchIssuerDocument(url)).rejects.toThrow(/neither https nor on this machine$/)
  })
})
