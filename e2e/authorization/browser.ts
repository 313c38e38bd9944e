/**
 * Follows a login as a browser does, with cookies, until it leads back to the client.
 *
 * @returns the address in front of which it stopped: the client's own, with the code
 */
export async function followLogin(start: URL, callback: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  for (let step = 0; step < MAX_STEPS; step++) {
    if (url.href.startsWith(callback)) return url
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url.pathname} answers ${response.status}: ${await response.text()}`)
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error(`The login does not end: ${url.href}`)
}

const MAX_STEPS = 12
