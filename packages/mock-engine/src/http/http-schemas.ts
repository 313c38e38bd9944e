import { toText } from '../json/build.ts'

const strings = { type: 'object', additionalProperties: { type: 'string' } }

/** What an http binding is configured with. */
export const HTTP_CONFIG_SCHEMA = toText({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'HttpTriggerConfig',
  type: 'object',
  required: ['api_path'],
  properties: {
    api_path: { type: 'string', description: 'Path of the endpoint; a segment `:name` matches anything.' },
    http_method: {
      enum: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', null],
      default: 'GET',
      description: 'The one method it answers.',
    },
    condition_function_id: {
      type: ['string', 'null'],
      description: 'A function that may refuse the request by returning false.',
    },
  },
})

/** What a bound function receives. */
export const HTTP_REQUEST_SCHEMA = toText({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'HttpCallRequest',
  type: 'object',
  required: ['body', 'headers', 'method', 'path', 'path_params', 'query_params'],
  properties: {
    body: { description: 'The JSON body, null for any other.' },
    headers: strings,
    method: { type: 'string' },
    path: { type: 'string', description: 'The path as it was registered.' },
    path_params: strings,
    query_params: strings,
  },
})

/** What a bound function returns. */
export const HTTP_RESPONSE_SCHEMA = toText({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'HttpCallResponse',
  type: 'object',
  properties: {
    status_code: { type: ['integer', 'null'], description: '200 when absent.' },
    headers: {
      anyOf: [strings, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
      description: 'An object, or lines of `Name: value`.',
    },
    body: { description: 'JSON, or with a content type of its own a string sent as it is.' },
  },
})
