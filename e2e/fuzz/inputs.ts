import fc from 'fast-check'

/** Texts that have broken something somewhere: empty, long, half a character, keys of objects, ends of lines, other people's syntax. */
const ODD = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\udc00x',
    '\u2028',
    '\ufeff',
    '\r\n',
    '__proto__',
    'constructor',
    'toString',
    '../../etc/passwd',
  ],
  ...[
    'iii://',
    'iii://fn/',
    'iii://skills',
    'iii://fn/state/set',
    '%2e%2e%2f',
    '\u202egnp',
    'a'.repeat(5_000),
    '[](',
    '---',
    '*a',
    '&a *a',
  ],
  ...[
    '-0',
    '1e999',
    'NaN',
    'null',
    '{}',
    '[]',
    '"',
    "'",
    '`',
    '$' + '{HOME}',
    '<script>',
    'ſtate::set',
    'K',
    '\u200b',
    'orders::create',
  ],
]

export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...ODD), { maxLength: 6 }).map((parts) => parts.join('')) },
)

const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(anyText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('tree'), { maxKeys: 4 }),
  ),
}))

/** Any JSON. */
export const json = tree

/** An object with some of these members, each what it should be or anything. */
export function objectOf(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  const loose = Object.entries(members).map(
    ([key, good]) => [key, fc.oneof({ weight: 3, arbitrary: good }, json)] as const,
  )
  return fc.record(Object.fromEntries(loose), { requiredKeys: [] })
}

const METHODS = [
  ...[
    'initialize',
    'ping',
    'server/discover',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'resources/templates/list',
  ],
  ...[
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'tasks/get',
    'tasks/cancel',
    'skills/list',
    'skills/get',
  ],
  ...['notifications/initialized', 'notifications/cancelled', 'resources/subscribe', 'resources/directory/read'],
]

const name = fc.oneof(
  fc.constantFrom('orders__list', 'orders__get', 'skill__fetch', 'iii_trigger_void', 'state__set'),
  anyText,
)

/** Messages of MCP that are right, or nearly. */
export const message = objectOf({
  jsonrpc: fc.constant('2.0'),
  id: fc.oneof(fc.integer(), fc.string()),
  method: fc.constantFrom(...METHODS),
  params: objectOf({
    ...{
      name,
      arguments: json,
      uri: anyText,
      cursor: anyText,
      level: anyText,
      taskId: anyText,
      requestId: fc.integer(),
    },
    protocolVersion: fc.constantFrom('2025-11-25', '2025-06-18', '2024-11-05', '2026-07-28', '9'),
    ...{
      capabilities: objectOf({ sampling: json, extensions: json }),
      clientInfo: objectOf({ name: anyText, version: anyText }),
    },
    _meta: fc.dictionary(
      fc.constantFrom('progressToken', 'io.modelcontextprotocol/protocolVersion', 'traceparent'),
      json,
    ),
    ...{
      ref: objectOf({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name: anyText, uri: anyText }),
      argument: json,
    },
  }),
})

/** JSON text, or what once was some. */
export const almostJson = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(message, json).map(write) },
  {
    weight: 2,
    arbitrary: fc.tuple(message.map(write), fc.nat(), anyText).map(([whole, at, put]) => {
      const cut = at % (whole.length + 1)
      return whole.slice(0, cut) + put + whole.slice(cut + (at % 3))
    }),
  },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4_000 }).map((deep) => '['.repeat(deep) + ']'.repeat(deep)) },
)

function write(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
