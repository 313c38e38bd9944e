type Clients = typeof import('./client.ts')

/** Under this name the program of the client leaves what it has, and under this id its text lies in the page. */
declare const mcpClient: Clients

/** Asked for before anything is shown: what is shown takes the place of all that the page came with. */
const source = globalThis.document?.getElementById('mcp-client')?.textContent

let loaded: Promise<Clients> | undefined

/** Runs the program of the client, once. It is two thirds of the page and starts when something has been painted: nobody looks at an empty page meanwhile. */
export function loadClient(): Promise<Clients> {
  loaded ??= painted().then(run)
  return loaded
}

function run(): Clients {
  const script = document.createElement('script')
  script.textContent = source ?? ''
  document.head.append(script)
  script.remove()
  return mcpClient
}

/** Settles behind the next picture; a page that nobody sees is never painted. */
function painted(): Promise<void> {
  if (document.visibilityState === 'hidden') return Promise.resolve()
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}
