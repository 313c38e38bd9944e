/** What the bridge brings along beside the functions of others: a part of `requirements.ts`. */
export const builtinRequirements = {
  'engine-resources/read': {
    promise: 'clients read which functions, workers and triggers there are, all together and one by one',
    source: 'mcp 0.3.2',
  },
  'engine-resources/hidden': {
    promise: 'what the gate hides is not told there either, nor are secrets, machines and internal functions',
    source: 'security',
  },
  'engine-resources/live': { promise: 'clients hear when what is there has changed', source: 'design' },
  'canned-prompts/code': {
    promise: 'the code in the prompts of the bridge runs as it is printed, on the official SDK and on ours',
    source: 'mcp 0.3.2',
  },
  'canned-prompts/python': { promise: 'the Python in the prompts runs as it is printed', source: 'mcp 0.3.2' },
  'builtins/off': {
    promise: '`--no-builtins` hides the resources and prompts that the bridge brings along',
    source: 'mcp 0.3.2',
  },
} as const
