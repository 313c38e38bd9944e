/** Hooks of Node that have each function of our apps tell, when it is called, in which file it is: see `watched.ts`. */
import type { LoadHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = new URL('../../', import.meta.url).href
/** What brings the messages of the engine is watched with the apps: there a request begins. */
const WATCHED = /^(?:apps\/[^/]+\/src\/.*|packages\/sdk\/src\/wire\/connection)\.ts$/

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context)
  const file = url.startsWith(ROOT) ? fileURLToPath(url).slice(fileURLToPath(ROOT).length) : ''
  return WATCHED.test(file) ? { ...loaded, source: instrument(file, String(loaded.source)) } : loaded
}

/** The same program, in which each call of a function goes through `globalThis.roomStack`. */
export function instrument(file: string, code: string): string {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)

  function rewrite(node: ts.Node): string {
    const body = toBody(node)
    let text = ''
    let at = node.getStart(source)
    ts.forEachChild(node, (child) => {
      text += code.slice(at, child.getStart(source))
      text += child === body ? enterBody(node, body) : rewrite(child)
      at = child.end
    })
    return text + code.slice(at, node.end)
  }

  function enterBody(node: ts.Node, body: ts.ConciseBody): string {
    const isAsync = ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
    const call = `globalThis.roomStack.enter(${JSON.stringify(file)}, ${isAsync ? 'async ' : ''}() => ${rewrite(body)})`
    return ts.isBlock(body) ? `{ return ${call} }` : call
  }

  return rewrite(source)
}

/** Of a function that an arrow function can stand in for: no generator, and nothing that makes an object. */
function toBody(node: ts.Node): ts.ConciseBody | undefined {
  if (!ts.isFunctionLike(node) || !('body' in node) || ts.isConstructorDeclaration(node)) return undefined
  return 'asteriskToken' in node && node.asteriskToken !== undefined
    ? undefined
    : (node.body as ts.ConciseBody | undefined)
}
