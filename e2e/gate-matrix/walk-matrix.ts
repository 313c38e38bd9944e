import { expect } from 'vitest'
import { until } from '../until.ts'
import { toCell, type Wire } from '../wire-clients.ts'
import { cutAdvice } from './advice.ts'
import type { Path } from './paths.ts'
import { IDS } from './reasons.ts'
import type { MatrixStage } from './stage.ts'

/** Tries a path with every id: each is answered in its own words, and only what is allowed runs. */
export async function walkMatrix({ clients, ran }: MatrixStage, path: Path, wire: Wire): Promise<void> {
  const before = ran.length
  const ids = IDS.filter((id) => !path.skips?.includes(id))
  const cells: [string, string][] = []
  for (const id of ids) cells.push([id, cutAdvice(toCell(await clients[wire].ask(...path.toRequest(id))))])
  const expected = ids.map((id): [string, string] => [id, path.expect(id, wire)])
  expect(Object.fromEntries(cells)).toEqual(Object.fromEntries(expected))
  const allowed = path.callsNothing ? [] : expected.filter(([, cell]) => cell === 'allowed').map(([id]) => id)
  await until(() => ran.length >= before + allowed.length, { what: `${allowed} to be called` })
  expect(ran.slice(before).sort()).toEqual(allowed.sort())
}
