import { toShown } from '@iii/sdk/cli'
import type { TaskGraph } from './graph.ts'

/** What is drawn of a graph. */
export type Drawn = Pick<TaskGraph, 'tasks' | 'edges' | 'missing'>

/** A graph in the language of Mermaid. */
export function toMermaid(graph: Drawn): string {
  const names = toNames(graph)
  const nodes = [...names].map(([id, name]) => `  ${name}["${escapeMermaid(id)}"]`)
  const edges = graph.edges.map(({ from, to, kind }) => {
    const arrow = kind === 'depends' ? '-->' : `-. ${kind} .->`
    return `  ${names.get(from)} ${arrow} ${names.get(to)}`
  })
  return `${['flowchart TD', ...nodes, ...edges].join('\n')}\n`
}

/** A graph in the language of Graphviz. */
export function toDot(graph: Drawn): string {
  const names = toNames(graph)
  const nodes = [...names.keys()].map((id) => `  ${quote(id)};`)
  const edges = graph.edges.map(({ from, to, kind }) => {
    const style = kind === 'depends' ? '' : ` [style=dashed, label=${quote(kind)}]`
    return `  ${quote(from)} -> ${quote(to)}${style};`
  })
  return `${['digraph tasks {', ...nodes, ...edges, '}'].join('\n')}\n`
}

/** Names without a meaning, because ids have characters that mean something. */
function toNames({ tasks, edges, missing }: Drawn): Map<string, string> {
  const ids = [
    ...tasks.map(({ id }) => id),
    ...missing.map(({ id }) => id),
    ...edges.flatMap(({ from, to }) => [from, to]),
  ]
  return new Map([...new Set(ids)].map((id, at) => [id, `n${at}`]))
}

/** Mermaid writes characters by their numbers. */
function escapeMermaid(text: string): string {
  return text.replace(/[^\w :.\-/*?]/gu, (character) => `#${character.codePointAt(0)};`)
}

function quote(text: string): string {
  return `"${toShown(text).replace(/[\\"]/g, '\\$&')}"`
}
