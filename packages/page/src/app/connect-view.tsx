import { MCP_HOSTS, type McpHost } from '../hosts.ts'
import { hasToken, server } from './connection.ts'
import { Copy } from './copy.tsx'
import { Fold } from './fold.tsx'
import { TokenField } from './status-line.tsx'

const NAME = 'iii'

export function ConnectView() {
  const url = `${location.origin}${location.pathname}`
  return (
    <article class="alone">
      <h2>Connect an agent</h2>
      <p>
        Every MCP client that speaks Streamable HTTP needs this address{hasToken.value ? ':' : ' and nothing else:'}
      </p>
      <Copy text={url} />
      {hasToken.value && (
        <>
          <p>
            To see what this page sees it sends a token as well, in a header that its settings have a place for beside
            the address:
          </p>
          <Copy text="Authorization: Bearer TOKEN" />
        </>
      )}
      <Fold summary={hasToken.value ? 'See what another token sees' : 'See what a token sees'}>
        {() => <TokenField />}
      </Fold>
      {server.value.instructions !== '' && (
        <details>
          <summary>What the server says to agents</summary>
          <p class="long">{server.value.instructions}</p>
        </details>
      )}
      {MCP_HOSTS.map((host: McpHost) => (
        <Fold key={host.name} summary={host.title}>
          {() => <HostSteps host={host} url={url} />}
        </Fold>
      ))}
    </article>
  )
}

function HostSteps({ host, url }: { host: McpHost; url: string }) {
  const { address, title, name, afterwards } = host
  const link = toLink(host, url)
  if (typeof address === 'string') {
    return (
      <>
        <p>{title} starts servers itself. On this machine, this command writes its file:</p>
        <Copy text={`npx -y @iii/mcp install ${name}`} />
        <p>Then {afterwards}.</p>
      </>
    )
  }
  return (
    <>
      {link && (
        <p>
          <a href={link}>Open {title} and add it</a>
        </p>
      )}
      <p>By command:</p>
      <Copy text={`npx -y @iii/mcp install ${name} --transport http --address ${url}`} />
      <p>Or by hand, in its settings:</p>
      <Copy text={toBlock(host, address(url))} />
      <p>Then {afterwards}.</p>
    </>
  )
}

export function toBlock({ key, format }: McpHost, block: Readonly<Record<string, string>>): string {
  if (format !== 'toml') return JSON.stringify({ [key]: { [NAME]: block } }, null, 2)
  const lines = Object.entries(block).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [`[${key}.${NAME}]`, ...lines].join('\n')
}

/** Addresses that open a program with the server filled in. Sources: the documentation of Cursor and of VS Code. */
export function toLink({ name }: McpHost, url: string): string | undefined {
  if (name === 'cursor') {
    const config = encodeURIComponent(btoa(JSON.stringify({ url })))
    return `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${config}`
  }
  const scheme = name === 'vscode' ? 'vscode' : name === 'vscode-insiders' ? 'vscode-insiders' : undefined
  const config = encodeURIComponent(JSON.stringify({ name: NAME, type: 'http', url }))
  return scheme && `${scheme}:mcp/install?${config}`
}
