import { checkApiPath } from '@iii/sdk'
import { NODE_HEAD, NODE_RUN, NODE_STEPS, toCodeBlock, toLiteral } from './code.ts'
import type { CannedPrompt } from './prompt.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** How to answer requests on the engine's HTTP port. */
export const buildApi: CannedPrompt = {
  name: 'build-api',
  title: 'Build an API',
  description: 'Expose a function as HTTP endpoint',
  arguments: [
    { name: 'method', description: 'HTTP method, for example POST', values: () => METHODS },
    {
      name: 'path',
      description: 'Path on the engine’s HTTP port; a segment like :id is a parameter',
      values: () => ['/orders', '/orders/:id', '/webhooks/payments'],
    },
  ],
  render({ method: asked = '', path: said = '' }) {
    const method = asked.trim().toUpperCase()
    if (!METHODS.includes(method)) {
      return { mistake: `Unsupported method \`${asked}\`. Pass one of ${METHODS.join(', ')}.` }
    }
    const path = `/${said.trim().replace(/^\//, '')}`
    const mistake = checkApiPath(path)
    if (mistake !== undefined) return { mistake }
    const trigger = { type: 'http', config: { api_path: path, http_method: method } }
    return [
      `Answer \`${method} ${path}\` on the engine's HTTP port with a function.`,
      `1. ${NODE_STEPS}`,
      toCodeBlock('js', toWorker(method, path)),
      `2. ${NODE_RUN}`,
      `3. Try it (the port is 3111 unless the engine was told otherwise):`,
      toCodeBlock('sh', toCurl(method, path)),
      'What binds the function to the route is this trigger:',
      toCodeBlock('json', JSON.stringify(trigger, null, 2)),
      [
        'It needs `iii-http` among the workers of the engine.',
        'The function is called with `{ method, path, path_params, query_params, headers, body }`: `body` is the parsed JSON of a request whose content type is `application/json`, else `null`.',
        'It returns `{ status_code, headers, body }`, each of which may be left out. An object as `body` is sent as JSON.',
        'The last worker to register a method and a path answers them; choose a path that is free.',
      ].join(' '),
    ].join('\n\n')
  },
}

function toWorker(method: string, path: string): string {
  const id = toLiteral(`api::${method.toLowerCase()}_${toSlug(path)}`)
  return `${NODE_HEAD}

worker.registerFunction(${id}, async ({ path_params, query_params, body }) => ({
  status_code: 200,
  headers: { 'content-type': 'application/json' },
  body: { path_params, query_params, body },
}))

worker.registerTrigger({
  type: 'http',
  function_id: ${id},
  config: { api_path: ${toLiteral(path)}, http_method: '${method}' },
})`
}

function toCurl(method: string, path: string): string {
  const url = `http://127.0.0.1:3111${path.replaceAll(/:(\w+)/g, '$1')}`
  if (method === 'HEAD') return `curl --head ${url}`
  const body = method === 'GET' || method === 'DELETE' ? '' : ` -H 'content-type: application/json' -d '{"name":"Ada"}'`
  return `curl -X ${method} ${url}${body}`
}

function toSlug(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_|_$/g, '') || 'root'
}
