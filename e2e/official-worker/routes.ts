import { type HttpRequest, http } from '@iii-dev/helpers/http'
import type { IIIClient } from 'iii-sdk'

/** HTTP: a reply that is returned, one that is streamed, and one that fails. */
export function offerRoutes(iii: IIIClient): void {
  iii.registerFunction('demo::hello', async ({ path_params, query_params, method }: HttpRequest) => ({
    status_code: 201,
    headers: { 'x-served-by': 'demo' },
    body: { hello: path_params['name'], query: query_params, method },
  }))
  iii.registerTrigger({
    type: 'http',
    function_id: 'demo::hello',
    config: { api_path: '/demo/hello/:name', http_method: 'GET' },
  })

  iii.registerFunction(
    'demo::shout',
    http(async (request, response) => {
      const text = (await request.request_body.readAll()).toString()
      response.status(202)
      response.headers({ 'content-type': 'text/plain', 'x-length': String(text.length) })
      for (const line of text.split(/(?<=\n)/)) response.stream.write(line.toUpperCase())
      response.stream.end()
    }),
  )
  iii.registerTrigger({
    type: 'http',
    function_id: 'demo::shout',
    config: { api_path: 'demo/shout', http_method: 'POST' },
  })
  iii.registerTrigger({
    type: 'http',
    function_id: 'demo::boom',
    config: { api_path: 'demo/boom', http_method: 'POST' },
  })
}
