/** A request about something, by its name. */
export type HiddenProbe = readonly [method: string, params: (name: string) => object]
const read = (uri: (name: string) => string): HiddenProbe => ['resources/read', (name) => ({ uri: uri(name) })]
const call = (tool: string, input: (name: string) => object): HiddenProbe => [
  'tools/call',
  (name) => ({ name: tool, arguments: input(name) }),
]
const complete = (ref: (name: string) => object, argument: (name: string) => object): HiddenProbe => [
  'completion/complete',
  (name) => ({ ref: ref(name), argument: argument(name) }),
]

/** Every way to ask for something by its name; what is called `shop` is there. */
export const PROBES: readonly HiddenProbe[] = [
  ['tools/call', (name) => ({ name: `${name}__open`, arguments: {} })],
  call('skill__fetch', (name) => ({ uri: `iii://${name}` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `iii://${name}`] })),
  call('skill__fetch', (name) => ({ uri: `iii://fn/${name}/open` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `iii://fn/${name}/open`] })),
  call('skill__fetch', (name) => ({ uri: `skill://${name}/SKILL.md` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `skill://${name}/SKILL.md`] })),
  call('skill__fetch', (name) => ({ uri: `skill://${name}` })),
  call('iii_trigger_void', (name) => ({ function_id: `${name}::open`, payload: {} })),
  call('iii_trigger_enqueue', (name) => ({ function_id: `${name}::open`, payload: {} })),
  call('runs__explain_task', (name) => ({ task: `${name}::open` })),
  call('runs__diff_inputs', (name) => ({ task: `${name}::open` })),
  read((name) => `iii://${name}`),
  read((name) => `iii://fn/${name}/open`),
  read((name) => `iii://functions/${name}::open`),
  read((name) => `iii://workers/${name}`),
  read((name) => `db://${name}`),
  read((name) => `db://${name}/row`),
  read((name) => `skill://${name}/SKILL.md`),
  read((name) => `skill://${name}`),
  ['resources/directory/read', (name) => ({ uri: `skill://${name}` })],
  ['skills/get', (name) => ({ uri: `skill://${name}` })],
  ['skills/get', (name) => ({ uri: `skill://${name}/SKILL.md` })],
  ['prompts/get', (name) => ({ name })],
  complete(
    (name) => ({ type: 'ref/prompt', name }),
    () => ({ name: 'x', value: '' }),
  ),
  complete(
    (name) => ({ type: 'ref/resource', uri: `db://${name}/{name}` }),
    () => ({ name: 'name', value: '' }),
  ),
  complete(
    (name) => ({ type: 'ref/resource', uri: `iii://fn/${name}/open` }),
    () => ({ name: 'name', value: '' }),
  ),
  complete(
    () => ({ type: 'ref/resource', uri: 'skill://{+path}' }),
    (name) => ({ name: 'path', value: name }),
  ),
  ...[(name: string) => `iii://${name}`, (name: string) => `skill://${name}/SKILL.md`].map((uri) =>
    complete(
      (name) => ({ type: 'ref/resource', uri: uri(name) }),
      (name) => ({ name: 'path', value: name }),
    ),
  ),
  complete(
    () => ({ type: 'ref/resource', uri: 'iii://functions/{id}' }),
    (name) => ({ name: 'id', value: name }),
  ),
]

const find = (queries: (name: string) => readonly string[], detail: string): HiddenProbe =>
  call('search_tools', (name) => ({ queries: queries(name), detail, limit: 20 }))

/** Every way to find something, and to call what was found. */
export const SEARCHES: readonly HiddenProbe[] = [
  ...['names', 'brief', 'full'].map((detail) => find((name) => [name], detail)),
  find((name) => [`${name}__open`], 'names'),
  find((name) => [`${name}::open`], 'names'),
  find((name) => [`open ${name}`, 'shop'], 'full'),
  call('call_tool', (name) => ({ name: `${name}__open`, arguments: {} })),
  call('call_tool', (name) => ({ name: `${name}__opne`, arguments: {} })),
  call('call_tool', (name) => ({ name: `${name}::open` })),
]
