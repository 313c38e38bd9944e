/** Bounds for JSON that a stranger sent. */
export interface JsonLimits {
  /** Levels of arrays and objects, the outermost counted. @default 64 */
  readonly maxDepth?: number
  /** Values of every kind, the outermost counted. @default 20000 */
  readonly maxNodes?: number
}

/**
 * Checks that a parsed JSON value is neither too deep nor too wide to be walked and written again. Walks without recursion, so that
 * a hundred thousand levels (which `JSON.parse` accepts and `JSON.stringify` does not) are no danger; a cycle is too deep.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkDepth([[[]]], { maxDepth: 2 }) // 'nested too deeply (more than 2 levels)'
 */
export function checkDepth(value: unknown, limits: JsonLimits = {}): string | undefined {
  const { maxDepth = 64, maxNodes = 20_000 } = limits
  let nodes = 1
  for (const node of walk(value)) {
    // Counted before they are entered: a list of millions costs no more than its length.
    nodes += countItems(node.value)
    if (nodes > maxNodes) return `too many values (more than ${maxNodes})`
    if (node.depth > maxDepth) return `nested too deeply (more than ${maxDepth} levels)`
  }
  return undefined
}

/**
 * Finds an integer that JSON numbers cannot carry exactly (beyond ±(2^53 − 1)): it has changed already, and has to be sent as a string.
 * Large floats such as 6.02e23 are integers too and are found as well.
 *
 * @param value what `JSON.parse` gave (no cycles); run {@link checkDepth} first.
 * @returns the path of the first one, `$` being the value itself; undefined when there is none.
 *
 * @example
 * findUnsafeInteger({ items: [{ id: 9007199254740993 }] }) // '$.items[0].id'
 */
export function findUnsafeInteger(value: unknown): string | undefined {
  for (const node of walk(value)) {
    if (Number.isInteger(node.value) && !Number.isSafeInteger(node.value)) return formatPath(node)
  }
  return undefined
}

interface Node {
  readonly value: unknown
  /** How many arrays and objects this value is or lies in. */
  readonly depth: number
  readonly parent: Node | undefined
  readonly key: string | number
}

/** Visits a value and all values in it, in document order, with a stack of its own. */
function* walk(root: unknown): Generator<Node> {
  const stack: Node[] = [enter(root, undefined, '$')]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node
    const { value } = node
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) stack.push(enter(value[i], node, i))
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value)
      for (const [key, item] of entries.reverse()) stack.push(enter(item, node, key))
    }
  }
}

function countItems(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function enter(value: unknown, parent: Node | undefined, key: string | number): Node {
  const level = typeof value === 'object' && value !== null ? 1 : 0
  return { value, depth: (parent?.depth ?? 0) + level, parent, key }
}

function formatPath(node: Node): string {
  const steps: string[] = []
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    if (at.parent === undefined) steps.push('$')
    else if (typeof at.key === 'number') steps.push(`[${at.key}]`)
    else steps.push(/^[A-Za-z_$][\w$]*$/.test(at.key) ? `.${at.key}` : `[${JSON.stringify(at.key)}]`)
  }
  return steps.reverse().join('')
}
