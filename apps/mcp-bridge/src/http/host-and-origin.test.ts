import { describe, expect, it } from 'vitest'
import { refuseAtDoor } from './host-and-origin.ts'

const nothing = { allowedHosts: [], allowedOrigins: [] }
const host = '127.0.0.1:3111'

describe('the Host header', () => {
  it.each(['localhost', 'LOCALHOST:3111', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:3111'])('may be %s', (name) => {
    expect(refuseAtDoor({ host: name }, nothing)).toBeUndefined()
  })

  it.each([
    'evil.example.com',
    'localhost.evil.com',
    '127.0.0.1.nip.io',
    'localhost.',
    '127.0.0.1:3111:1',
    '127.0.0.2',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '::1',
    'localhost@evil.com',
    'localhost/evil',
    'localhost evil',
    'localhost:99999999',
    '',
  ])('must not be "%s"', (name) => {
    expect(refuseAtDoor({ host: name }, nothing)).toMatch(/Host/)
  })

  it('must be there', () => {
    expect(refuseAtDoor({}, nothing)).toBe('The Host header is missing')
  })

  it('may be one that the operator allows: with any port, or with the one named', () => {
    const rules = { allowedHosts: ['MCP.example.com', 'bus.local:3111'], allowedOrigins: [] }
    expect(refuseAtDoor({ host: 'mcp.example.com' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host: 'mcp.EXAMPLE.com:8443' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host: 'bus.local:3111' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host: 'bus.local:3112' }, rules)).toBeDefined()
    expect(refuseAtDoor({ host: 'x.mcp.example.com' }, rules)).toBeDefined()
  })

  it.each(['443', '80'])('may leave away the port %s, as clients do where the scheme says it', (port) => {
    const rules = { allowedHosts: [`mcp.example.com:${port}`], allowedOrigins: [] }
    expect(refuseAtDoor({ host: 'mcp.example.com' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host: `mcp.example.com:${port}` }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host: 'mcp.example.com:8443' }, rules)).toBeDefined()
  })
})

describe('the Origin header', () => {
  it.each(['http://localhost', 'http://localhost:6274', 'https://127.0.0.1:8080', 'http://[::1]:5173'])(
    'may be %s',
    (origin) => {
      expect(refuseAtDoor({ host, origin }, nothing)).toBeUndefined()
    },
  )

  it('may be absent', () => {
    expect(refuseAtDoor({ host }, nothing)).toBeUndefined()
  })

  it.each([
    '',
    'null',
    'http://evil.example.com',
    'http://localhost.evil.com',
    'http://127.0.0.1.nip.io',
    'http://[::ffff:127.0.0.1]',
    'http://localhost.',
    'http://localhost@evil.com',
    'http://localhost/path',
    'http://localhost#x',
    'ftp://localhost',
    'file://',
    'localhost',
    'http://',
  ])('must not be "%s"', (origin) => {
    expect(refuseAtDoor({ host, origin }, nothing)).toMatch(/Origin/)
  })

  it('is without a port that the scheme says, and is allowed where the operator writes it', () => {
    const rules = {
      allowedHosts: [],
      allowedOrigins: ['https://app.example.com:443', 'http://[::2]:80/', 'http://b:443'],
    }
    expect(refuseAtDoor({ host, origin: 'https://app.example.com' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host, origin: 'http://[::2]' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host, origin: 'http://b:443' }, rules)).toBeUndefined()
    // Programs that are no browsers may send it with its port.
    expect(refuseAtDoor({ host, origin: 'https://app.example.com:443' }, rules)).toBeUndefined()
    for (const origin of ['http://app.example.com', 'https://[::2]', 'http://b', 'https://b', 'http://[::2]:443']) {
      expect(refuseAtDoor({ host, origin }, rules)).toBeDefined()
    }
  })

  it('may be one that the operator allows, compared whole', () => {
    const rules = { allowedHosts: [], allowedOrigins: ['https://App.example.com/', 'vscode-webview://abc'] }
    expect(refuseAtDoor({ host, origin: 'https://app.example.com' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host, origin: 'vscode-webview://abc' }, rules)).toBeUndefined()
    expect(refuseAtDoor({ host, origin: 'http://app.example.com' }, rules)).toBeDefined()
    expect(refuseAtDoor({ host, origin: 'https://app.example.com:8443' }, rules)).toBeDefined()
  })
})

describe('the Sec-Fetch-Site header', () => {
  it('keeps out a page that hides its origin', () => {
    expect(refuseAtDoor({ host, 'sec-fetch-site': 'cross-site' }, nothing)).toMatch(/Cross-site/)
    expect(refuseAtDoor({ host, 'sec-fetch-site': 'same-origin' }, nothing)).toBeUndefined()
  })

  it('says nothing new about an origin that is allowed', () => {
    const headers = { host, origin: 'http://localhost:6274', 'sec-fetch-site': 'cross-site' }
    expect(refuseAtDoor(headers, nothing)).toBeUndefined()
  })
})
