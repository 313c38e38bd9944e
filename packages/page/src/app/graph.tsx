import { Graph as Layered, layout } from '@dagrejs/dagre'
import type { Graph } from './runs.ts'

const LETTER = 7.5
const HEIGHT = 34
const MARGIN = 8
const LONG_NAME = 40

interface Box {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
}

interface Picture {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly lines: readonly { readonly key: string; readonly path: string }[]
}

/** Where everything of a graph stands. A stranger's names are no keys of the layout. */
function toPicture({ tasks, edges }: Graph): Picture {
  const keys = new Map(tasks.map(({ id }, at) => [id, `task ${at}`]))
  const layered = new Layered()
  layered.setGraph({ rankdir: 'LR', marginx: MARGIN, marginy: MARGIN, nodesep: 16, ranksep: 48 })
  layered.setDefaultEdgeLabel(() => ({}))
  for (const [id, key] of keys) layered.setNode(key, { width: toLabel(id).length * LETTER + 24, height: HEIGHT })
  for (const { from, to } of edges) {
    const [source, target] = [keys.get(from), keys.get(to)]
    if (source !== undefined && target !== undefined) layered.setEdge(source, target)
  }
  layout(layered)
  const { width = 0, height = 0 } = layered.graph() as { width?: number; height?: number }
  return {
    width: Number.isFinite(width) ? width : 0,
    height: Number.isFinite(height) ? height : 0,
    boxes: [...keys].map(([id, key]) => ({ id, ...(layered.node(key) as Omit<Box, 'id'>) })),
    lines: layered.edges().map((edge) => {
      const { points = [] } = layered.edge(edge) as { points?: { x: number; y: number }[] }
      return {
        key: `${edge.v} ${edge.w}`,
        path: points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(''),
      }
    }),
  }
}

export function GraphPicture({ graph, states }: { graph: Graph; states?: ReadonlyMap<string, string> }) {
  const { width, height, boxes, lines } = toPicture(graph)
  if (boxes.length === 0) return <p class="quiet">No task depends on another.</p>
  const names = boxes.map(({ id }) => id).join(', ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
    <section class="graph" tabIndex={0} aria-label="graph">
      <svg
        role="img"
        aria-label={`what depends on what: ${names}`}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
      >
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {lines.map(({ key, path }) => (
          <path key={key} d={path} class="line" marker-end="url(#tip)" />
        ))}
        {boxes.map(({ id, x, y, width: wide }) => (
          <g key={id} class={`box ${states?.get(id) === 'failed' ? 'failed' : ''}`}>
            <title>{id}</title>
            <rect x={x - wide / 2} y={y - HEIGHT / 2} width={wide} height={HEIGHT} rx="6" />
            <text x={x} y={y + 4} text-anchor="middle">
              {toLabel(id)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  )
}

function toLabel(id: string): string {
  return id.length > LONG_NAME ? `${id.slice(0, LONG_NAME)}…` : id
}
