/** Many tools in little context: a part of `requirements.ts`. */
export const searchRequirements = {
  'search/clients': {
    promise:
      'with `tools: search` official clients find a tool and call it, over HTTP and stdio, in both eras, with progress, logs and questions',
    source: 'design',
  },
  'search/same': {
    promise:
      'a call through `call_tool` answers what a call by name does: results, failures, unknown names, progress, logs, questions, and tasks to their end',
    source: 'design',
  },
  'search/restart': {
    promise: 'with `tools: search` clients go on after a restart of the bridge and when one of two is killed',
    source: 'design',
  },
  'search/told': {
    promise: 'with `tools: search` clients are told that their list has changed when it has, and of no other tool',
    source: 'design',
  },
  'search/fresh': {
    promise:
      'with `tools: search` a new tool is found once a call by its name reaches it, one that such a call says is gone is not found, and one that describes itself anew is found by its new words alone',
    source: 'design',
  },
  'search/small': {
    promise: 'with `tools: search` a list takes less than 8 KiB, however many tools there are',
    source: 'design',
  },
} as const
