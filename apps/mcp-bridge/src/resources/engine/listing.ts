import type { EngineList } from './address.ts'

/** What clients are shown of these addresses in lists. */

const JSON_TYPE = 'application/json'

/** Rows of `resources/list`. */
export const ENGINE_RESOURCES = [
  {
    uri: 'iii://functions',
    name: 'Functions',
    description: 'Every function that this server shows, with its schemas, as JSON.',
    mimeType: JSON_TYPE,
  },
  {
    uri: 'iii://workers',
    name: 'Workers',
    description: 'The connected workers that offer these functions, as JSON.',
    mimeType: JSON_TYPE,
  },
  {
    uri: 'iii://triggers',
    name: 'Triggers',
    description: 'What calls these functions by itself: routes, schedules, topics and more, as JSON.',
    mimeType: JSON_TYPE,
  },
  {
    uri: 'iii://context',
    name: 'Context',
    description: 'How this server names functions and which of them it shows, as JSON.',
    mimeType: JSON_TYPE,
  },
] as const

/** Rows of `resources/templates/list`. */
export const ENGINE_TEMPLATES = [
  {
    uriTemplate: 'iii://functions/{id}',
    name: 'Function',
    description: 'One function, by its id.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'iii://workers/{id}',
    name: 'Worker',
    description: 'One connected worker, by its id or its name.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'iii://triggers/{id}',
    name: 'Trigger',
    description: 'One trigger, by its id.',
    mimeType: JSON_TYPE,
  },
] as const

/** More rows of it, where other namespaces are shown beside the own one. */
export const PLACED_TEMPLATES = ENGINE_TEMPLATES.map(({ uriTemplate, name, description, mimeType }) => ({
  uriTemplate: uriTemplate.replace('{id}', '@{namespace}/{id}'),
  name: `${name} of another namespace`,
  description,
  mimeType,
}))

/** What a template is of; undefined for a template of anybody else. */
export function toListOfTemplate(uriTemplate: string): Listed | undefined {
  return TEMPLATES.get(uriTemplate)
}

interface Listed {
  readonly word: EngineList
  /** Of another namespace, which its address names? */
  readonly isPlaced: boolean
}

const TEMPLATES: ReadonlyMap<string, Listed> = new Map(
  (['functions', 'workers', 'triggers'] as const).flatMap((word): [string, Listed][] => [
    [`iii://${word}/{id}`, { word, isPlaced: false }],
    [`iii://${word}/@{namespace}/{id}`, { word, isPlaced: true }],
  ]),
)
