import { describe, expect, it } from 'vitest'
import { findJwksAddress, toMetadataAddresses } from './jwks-address.ts'

const issuer = 'https://login.example.com/realms/acme'
const [first = '', second = ''] = toMetadataAddresses(issuer)
const serve = (documents: Record<string, unknown>) => async (url: string) => {
  if (!(url in documents)) throw new Error(`${url} answers 404`)
  return documents[url]
}

describe('the address of keys', () => {
  it('is in the metadata of the issuer, wherever that is', async () => {
    const metadata = { issuer, jwks_uri: 'https://keys.example.com/1' }
    for (const url of toMetadataAddresses(issuer)) {
      expect(await findJwksAddress(issuer, serve({ [url]: metadata }))).toBe('https://keys.example.com/1')
    }
    expect(toMetadataAddresses(issuer)).toEqual([
      'https://login.example.com/realms/acme/.well-known/openid-configuration',
      'https://login.example.com/.well-known/oauth-authorization-server/realms/acme',
      'https://login.example.com/.well-known/openid-configuration/realms/acme',
    ])
    expect(toMetadataAddresses('https://a.example/')).toHaveLength(2)
  })

  it('is not taken from metadata of somebody else, a slash more included', async () => {
    const theirs = { issuer: `${issuer}/`, jwks_uri: 'https://keys.example.com/1' }
    const found = findJwksAddress(issuer, serve({ [first]: theirs, [second]: { ...theirs, issuer: undefined } }))
    await expect(found).rejects.toThrow(`${first} names another issuer, "${issuer}/", and not "${issuer}"`)
  })

  it.each([undefined, 7, 'http://keys.example.com/1', 'file:///etc/keys'])('is not %s', async (jwks_uri) => {
    await expect(findJwksAddress(issuer, serve({ [first]: { issuer, jwks_uri } }))).rejects.toThrow(/jwks_uri/)
  })

  it.each(['http://127.0.0.1:3111/keys', 'http://localhost/keys', 'http://[::1]:8080/keys'])(
    'is not %s, on this machine, where the issuer is elsewhere',
    async (jwks_uri) => {
      const found = findJwksAddress(issuer, serve({ [first]: { issuer, jwks_uri } }))
      await expect(found).rejects.toThrow(`the jwks_uri in ${first} is not https, as the issuer is`)
      const local = 'http://127.0.0.1:8080'
      const [metadata = ''] = toMetadataAddresses(local)
      expect(await findJwksAddress(local, serve({ [metadata]: { issuer: local, jwks_uri } }))).toBe(jwks_uri)
    },
  )

  it('is not told at length when metadata say anything else', async () => {
    const found = findJwksAddress(issuer, serve({ [first]: { issuer: 'x'.repeat(100_000), jwks_uri: 7 } }))
    const message = await found.catch((error: Error) => error.message)
    expect(message).toContain('names another issuer, "xxx')
    expect(message.length).toBeLessThan(1_000)
  })

  it('cannot be found for what is no address', async () => {
    await expect(findJwksAddress('acme', serve({}))).rejects.toThrow('acme is no address')
  })
})
