import type { HeaderList } from './header-list.ts'

/** Which web pages may call, as the HTTP worker is configured. Empty lists and `*` mean any. */
export interface CorsSettings {
  readonly allowedOrigins: readonly string[]
  readonly allowedMethods: readonly string[]
}

const VARY = 'origin, access-control-request-method, access-control-request-headers'

/** Adds what the engine says about cross-origin use to a response head; a handler's own values go where it speaks. */
export function addCors(headers: HeaderList, cors: CorsSettings | undefined, origin: string | undefined): void {
  headers.append('vary', VARY)
  setOrigin(headers, cors, origin)
  if (!cors) headers.set('access-control-expose-headers', '*')
}

/** The head of the answer to an `OPTIONS` request, which the engine gives by itself. */
export function addPreflight(headers: HeaderList, cors: CorsSettings | undefined, origin: string | undefined): void {
  headers.append('vary', VARY)
  headers.set(
    'access-control-allow-methods',
    isAny(cors?.allowedMethods) ? '*' : (cors?.allowedMethods.join(',') ?? '*'),
  )
  headers.set('access-control-allow-headers', '*')
  setOrigin(headers, cors, origin)
}

function setOrigin(headers: HeaderList, cors: CorsSettings | undefined, origin: string | undefined): void {
  if (isAny(cors?.allowedOrigins)) headers.set('access-control-allow-origin', '*')
  else if (origin !== undefined && cors?.allowedOrigins.includes(origin)) {
    headers.set('access-control-allow-origin', origin)
  }
}

function isAny(list: readonly string[] | undefined): boolean {
  return !list || list.length === 0 || list.includes('*')
}
